#pragma once

#include <cstddef>
#include <utility>

#include "bench/cuda/check.cuh"

namespace smelt::cuda {

/// Device memory for `size` elements.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size > 0) SMELT_CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies to the device and waits until the data is there: a copy from pageable memory alone may
/// still be on its way when it returns, and streams of their own do not wait for it.
template <typename T>
void copy_to_device(const DeviceArray<T>& to, const T* from) {
  if (to.size() == 0) return;
  SMELT_CUDA_CHECK(cudaMemcpy(to.data(), from, to.bytes(), cudaMemcpyHostToDevice));
  SMELT_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

class Stream {
 public:
  Stream() { SMELT_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }
  void wait() const { SMELT_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { SMELT_CUDA_CHECK(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  void record(const Stream& stream) { SMELT_CUDA_CHECK(cudaEventRecord(event_, stream.get())); }
  /// Seconds from `start` to this event, both passed by the device.
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    SMELT_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace smelt::cuda
