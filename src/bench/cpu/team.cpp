#include "bench/cpu/team.hpp"

namespace smelt {

Team::Team(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
}

Team::~Team() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(std::size_t count, const Task& task) {
  if (count == 0) return;
  std::unique_lock<std::mutex> lock(mutex_);
  task_ = &task;
  count_ = count;
  next_ = 0;
  unfinished_ = count;
  failure_ = nullptr;
  wake_.notify_all();
  done_.wait(lock, [&] { return unfinished_ == 0; });
  task_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void Team::work(int thread) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || (task_ != nullptr && next_ < count_); });
    if (stopping_) return;
    take_tasks(lock, thread);
  }
}

void Team::take_tasks(std::unique_lock<std::mutex>& lock, int thread) {
  while (next_ < count_) {
    const std::size_t index = next_++;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*task_)(index, thread);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--unfinished_ == 0) done_.notify_one();
  }
}

}  // namespace smelt
