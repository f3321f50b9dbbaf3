#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace smelt {

/// Threads that stay alive between the steps of a layer, so that starting them is not timed.
class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()); }

  /// Calls task(i, thread) for every i below `count`, indices in order to whichever of the
  /// threads 0 ... size() - 1 is free, and waits for all. Rethrows the first exception.
  using Task = std::function<void(std::size_t index, int thread)>;
  void run(std::size_t count, const Task& task);

 private:
  void work(int thread);
  void take_tasks(std::unique_lock<std::mutex>& lock, int thread);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const Task* task_ = nullptr;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::size_t unfinished_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace smelt
