#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/preset_roots.hpp"
#include "smelt/count.hpp"
#include "smelt/error.hpp"

namespace smelt::cli {
namespace {

// Exit statuses. 0 is done, and a command's own 1 is the answer "no".
constexpr int kWrongRequest = 2;
constexpr int kLackingMachine = 3;
constexpr int kInternalError = 70;  // EX_SOFTWARE of sysexits.h

int run(const std::vector<std::string>& arguments) {
  const auto commands = all_commands();
  const Request request = parse_command_line(commands, arguments);
  if (request.command == nullptr) {
    write_stdout(request.text);
    return 0;
  }
  const OutputPlan plan = output_plan(request.output);
  const Answer answer = request.command->run(Presets(preset_roots()));
  write_answer(answer, plan);
  return answer.status;
}

void complain(const char* kind, const std::string& text) {
  std::fputs(("smelt: " + std::string(kind) + ": " + text + "\n").c_str(), stderr);
}

int guarded_run(const std::vector<std::string>& arguments) {
  try {
    return run(arguments);
  } catch (const InputError& error) {
    for (const Mistake& mistake : error.mistakes()) complain("error", mistake.line());
    return kWrongRequest;
  } catch (const CountOverflow& error) {
    complain("error", error.what());
    return kWrongRequest;
  } catch (const Unavailable& error) {
    complain("error", error.what());
    return kLackingMachine;
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const std::exception& error) {
    complain("internal error", error.what());
    return kInternalError;
  }
}

}  // namespace
}  // namespace smelt::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // write_stdout sees the closed pipe as an errno
  return smelt::cli::guarded_run({argv + (argc > 0 ? 1 : 0), argv + argc});
}
