#pragma once

#include <cstddef>
#include <functional>

namespace smelt {

/// The number of threads that `threads` asks for: itself, or one per core of the machine for 0.
int resolve_threads(int threads);

/// Calls body(0), ..., body(count - 1), each exactly once, on up to `threads` threads (0: one per
/// core; 1: all on the caller's). Indices are handed out in order; which thread takes which is
/// open, so a body that writes only to its own index gives the same result for any thread count.
///
/// When bodies throw, no new index is begun and the exception of the lowest index that threw is
/// rethrown, again whatever the thread count. Where the system gives no further thread, the
/// caller's does all the work.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace smelt
