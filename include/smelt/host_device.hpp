#pragma once

/// Marks a function that host and device code share; nothing outside CUDA sources.
#ifdef __CUDACC__
#define SMELT_HOST_DEVICE __host__ __device__
#else
#define SMELT_HOST_DEVICE
#endif
