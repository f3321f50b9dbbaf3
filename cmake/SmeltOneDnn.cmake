# oneDNN gives the CPU benchmark its matrix products where it is installed; Eigen does elsewhere.
# Its threads are OpenMP's, which the benchmark holds to one a caller.
option(SMELT_ONEDNN "Use oneDNN for the CPU benchmark where it is found" ON)
if(SMELT_ONEDNN)
  find_package(OpenMP QUIET COMPONENTS CXX)
  find_package(dnnl 2.6 QUIET)
endif()
if(SMELT_ONEDNN AND dnnl_FOUND AND OpenMP_CXX_FOUND)
  set_source_files_properties(bench/cpu/gemm.cpp bench/cpu/team.cpp PROPERTIES
    COMPILE_DEFINITIONS SMELT_HAS_ONEDNN)
  # The OpenMP run time alone: the flag would have Eigen spread its own products over threads.
  target_include_directories(smelt PRIVATE ${OpenMP_CXX_INCLUDE_DIRS})
  target_link_libraries(smelt PRIVATE DNNL::dnnl ${OpenMP_CXX_LIBRARIES})
  set(SMELT_LINK_DEPENDENCIES ${SMELT_LINK_DEPENDENCIES} dnnl PARENT_SCOPE)
endif()
