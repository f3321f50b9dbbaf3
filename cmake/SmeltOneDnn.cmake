# oneDNN gives the CPU benchmark its matrix products where it is installed; Eigen does elsewhere.
# Its threads are OpenMP's, which the benchmark holds to one a caller.
option(SMELT_ONEDNN "Use oneDNN for the CPU benchmark where it is found" ON)
if(SMELT_ONEDNN)
  find_package(OpenMP QUIET COMPONENTS CXX)
  find_package(dnnl 2.6 QUIET)
endif()
if(SMELT_ONEDNN AND dnnl_FOUND AND OpenMP_CXX_FOUND)
  smelt_module(smelt_onednn bench/cpu/onednn_module.cpp)
  target_compile_features(smelt_onednn PRIVATE cxx_std_20)
  target_link_libraries(smelt_onednn PRIVATE DNNL::dnnl OpenMP::OpenMP_CXX)
  set_source_files_properties(bench/cpu/gemm.cpp PROPERTIES COMPILE_DEFINITIONS SMELT_HAS_ONEDNN)
endif()
