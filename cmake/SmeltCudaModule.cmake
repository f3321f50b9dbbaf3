# The CUDA backend: cuBLAS alone takes a third of a second to load.
if(SMELT_HAS_CUDA)
  smelt_module(smelt_cuda
    bench/layer_run.cpp
    bench/cuda/attention_kernels.cu
    bench/cuda/cuda_backend.cu
    bench/cuda/cuda_layer.cu
    bench/cuda/grouped_kernel.cu
    bench/cuda/products.cu
    bench/cuda/router_kernels.cu
    bench/cuda/row_kernels.cu)
  target_compile_features(smelt_cuda PRIVATE cxx_std_17 cuda_std_17)
  target_link_libraries(smelt_cuda PRIVATE CUDA::cudart_static CUDA::cublas)
  set_source_files_properties(bench/cuda_backend.cpp PROPERTIES COMPILE_DEFINITIONS SMELT_HAS_CUDA)
endif()
