# The CUDA backend is a module of its own, loaded when it is asked for: cuBLAS takes a third of a
# second to load, and a program built with it still runs where no CUDA is installed.
if(SMELT_HAS_CUDA)
  add_library(smelt_cuda MODULE
    bench/layer_run.cpp
    bench/cuda/attention_kernels.cu
    bench/cuda/cuda_backend.cu
    bench/cuda/cuda_layer.cu
    bench/cuda/grouped_kernel.cu
    bench/cuda/products.cu
    bench/cuda/router_kernels.cu
    bench/cuda/row_kernels.cu)
  target_include_directories(smelt_cuda PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_features(smelt_cuda PRIVATE cxx_std_17 cuda_std_17)
  set_target_properties(smelt_cuda PROPERTIES CXX_VISIBILITY_PRESET hidden
                                              CUDA_VISIBILITY_PRESET hidden)
  target_link_libraries(smelt_cuda PRIVATE CUDA::cudart_static CUDA::cublas)
  add_dependencies(smelt smelt_cuda)
  set_source_files_properties(bench/cuda_backend.cpp PROPERTIES COMPILE_DEFINITIONS SMELT_HAS_CUDA)
  target_link_libraries(smelt PRIVATE ${CMAKE_DL_LIBS})
  # Programs look for the module in the build tree, and beside the library once installed.
  target_link_options(smelt INTERFACE
    $<BUILD_INTERFACE:LINKER:-rpath,$<TARGET_FILE_DIR:smelt_cuda>>)
  if(SMELT_INSTALL)
    install(TARGETS smelt_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endif()
