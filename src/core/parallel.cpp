#include "smelt/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace smelt {

namespace {

/// The indices still to do, and the first failure among those done.
class Work {
 public:
  Work(std::size_t count, const std::function<void(std::size_t)>& body)
      : count_(count), body_(body) {}

  /// Takes indices until none is left or one has failed.
  void run() {
    while (!failed_.load()) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= count_) return;
      try {
        body_(index);
      } catch (...) {
        note_failure(index);
      }
    }
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void note_failure(std::size_t index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_ || index < failed_index_) {
      failure_ = std::current_exception();
      failed_index_ = index;
    }
    failed_ = true;
  }

  const std::size_t count_;
  const std::function<void(std::size_t)>& body_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t failed_index_ = 0;
};

}  // namespace

int resolve_threads(int threads) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  Work work(count, body);
  const std::size_t helpers = std::min(static_cast<std::size_t>(resolve_threads(threads)),
                                       std::max<std::size_t>(count, 1)) -
                              1;
  std::vector<std::thread> pool;
  pool.reserve(helpers);
  try {
    while (pool.size() < helpers) pool.emplace_back([&work] { work.run(); });
  } catch (const std::system_error&) {
    // No further thread to be had: those that started and this one do the work.
  }
  work.run();
  for (std::thread& thread : pool) thread.join();
  work.rethrow_failure();
}

}  // namespace smelt
