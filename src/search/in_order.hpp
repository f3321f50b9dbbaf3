#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

namespace smelt {

/// Ends a worker whose work is no longer wanted.
struct Stopped : std::exception {};

/// Commits the results of numbered jobs in the order of their numbers, from whichever threads they
/// come. Jobs have to be begun in that order. A result that is early waits, and so does its thread
/// where it is very early, so that few are held.
template <typename Result, typename Commit>
class InOrder {
 public:
  InOrder(std::int64_t held, Commit commit) : held_(held), commit_(std::move(commit)) {}

  /// Throws Stopped when a job has failed or been stopped meanwhile.
  void submit(std::int64_t number, Result result) {
    std::unique_lock<std::mutex> lock(mutex_);
    wait(lock, [&] { return number < next_ + held_; });
    waiting_.emplace(number, std::move(result));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      commit_(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
      ++next_;
    }
    changed_.notify_all();
  }

  /// Calls `act` once all jobs before `number` are committed.
  template <typename Act>
  void in_turn(std::int64_t number, Act act) {
    std::unique_lock<std::mutex> lock(mutex_);
    wait(lock, [&] { return next_ == number; });
    act();
  }

  /// Calls `look` while nothing is being committed.
  template <typename Look>
  auto look(Look look) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return look();
  }

  void stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  /// Notes why a job failed; the lowest job's reason stands.
  void fail(std::int64_t number, std::exception_ptr reason) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_ || number < failed_) {
      failure_ = std::move(reason);
      failed_ = number;
    }
    stopped_ = true;
    changed_.notify_all();
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>& lock, Ready ready) {
    changed_.wait(lock, [&] { return stopped_ || ready(); });
    if (stopped_) throw Stopped();
  }

  const std::int64_t held_;
  Commit commit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, Result> waiting_;
  std::int64_t next_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::int64_t failed_ = 0;
};

}  // namespace smelt
