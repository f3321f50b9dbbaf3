# SMELT_CUDA chooses whether the CUDA backend is built; the answer is left in SMELT_HAS_CUDA.
# Building it takes nvcc and the toolkit's libraries, never a GPU.
set(SMELT_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE SMELT_CUDA PROPERTY STRINGS AUTO ON OFF)

set(SMELT_HAS_CUDA OFF)
if(SMELT_CUDA STREQUAL "AUTO")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(SMELT_HAS_CUDA ON)
  endif()
elseif(SMELT_CUDA)
  set(SMELT_HAS_CUDA ON)
endif()

if(SMELT_HAS_CUDA)
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # Ampere, Hopper and Blackwell data-centre parts, as far as the compiler knows them. Kept in the
  # cache, where enable_language has put its own default.
  if(NOT architectures)
    set(architectures 80)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 11.8)
      list(APPEND architectures 90)
    endif()
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
      list(APPEND architectures 100)
    endif()
    set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "CUDA architectures" FORCE)
  endif()
  # CMake 3.25 does not know CUDA C++20.
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
endif()
