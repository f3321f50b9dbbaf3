#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

extern char** environ;

namespace {

/// Silence after which a process counts as hanging, however busy the machine.
constexpr int kHangMilliseconds = 120'000;

struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  std::array<int, 2> ends{};
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> whole_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> all = extra;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

pid_t spawn(const Run& request, int in, int out, int err) {
  std::vector<std::string> arguments = request.arguments;
  arguments.insert(arguments.begin(), request.program);
  const std::vector<std::string> environment = whole_environment(request.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, request.program.c_str(), &actions, nullptr,
                                  pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + request.program);
  return child;
}

/// Appends what can be read; false at the end of the stream (a terminal ends with an error).
bool read_some(int file, std::string& into) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(file, buffer.data(), buffer.size());
  if (count > 0) into.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// Feeds the input and drains both outputs until they end; -1 for a stream that is not there.
void converse(Pipe& in, const std::string& input, int out, int err, Outcome& outcome) {
  std::size_t fed = 0;
  while (out >= 0 || err >= 0) {
    if (fed == input.size()) in.close_end(1);
    std::array<pollfd, 3> files = {{{out, POLLIN, 0}, {err, POLLIN, 0}, {in.ends[1], POLLOUT, 0}}};
    if (::poll(files.data(), files.size(), kHangMilliseconds) <= 0)
      throw std::runtime_error("no answer");
    if (files[0].revents != 0 && !read_some(out, outcome.out)) out = -1;
    if (files[1].revents != 0 && !read_some(err, outcome.err)) err = -1;
    if (files[2].revents != 0) {
      const ssize_t count = ::write(in.ends[1], input.data() + fed, input.size() - fed);
      fed = count > 0 ? fed + static_cast<std::size_t>(count) : input.size();
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Outcome run(const Run& request) {
  std::signal(SIGPIPE, SIG_IGN);  // a program that does not read its input is no fault
  Pipe in;
  Pipe out;
  Pipe err;
  Outcome outcome;
  int target = out.ends[1];
  if (!request.output_file.empty()) {
    target = ::open(request.output_file.c_str(), O_WRONLY | O_CLOEXEC);
    if (target < 0) throw std::runtime_error("cannot open " + request.output_file);
  }
  const pid_t child = spawn(request, in.ends[0], target, err.ends[1]);
  if (!request.output_file.empty()) ::close(target);
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  converse(in, request.input, out.ends[0], err.ends[0], outcome);
  outcome.status = wait_for(child);
  return outcome;
}

Outcome smelt_run(std::vector<std::string> arguments) {
  Run request;
  request.arguments = std::move(arguments);
  return run(request);
}

Outcome run_on_terminal(const Run& request) {
  Pipe in;
  Pipe err;
  Outcome outcome;
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
    throw std::runtime_error("no pseudoterminal");
  }
  const int far_end = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const pid_t child = spawn(request, in.ends[0], far_end, err.ends[1]);
  ::close(far_end);
  in.close_end(0);
  err.close_end(1);
  converse(in, request.input, terminal, err.ends[0], outcome);
  ::close(terminal);
  outcome.status = wait_for(child);
  return outcome;
}
