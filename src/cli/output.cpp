#include "cli/output.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/whole_file.hpp"
#include "smelt/error.hpp"

namespace smelt::cli {
namespace {

const std::array<Form, 5>& forms() {
  static const std::array<Form, 5> kForms = {{{"table", TableFormat::kText},
                                              {"json", std::nullopt},
                                              {"csv", TableFormat::kCsv},
                                              {"markdown", TableFormat::kMarkdown},
                                              {"latex", TableFormat::kLatex}}};
  return kForms;
}

Form form_named(const std::string& name, const std::string& where) {
  std::vector<std::string> known;
  for (const Form& form : forms()) {
    if (form.name == name) return form;
    known.push_back(form.name);
  }
  const std::string near = did_you_mean(name, known);
  throw InputError(where, "unknown format '" + name + "'",
                   near.empty() ? "table, json, csv, markdown or latex" : near);
}

OutputPlan::Further further_output(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon + 1 == text.size()) {
    throw InputError("--also", "'" + text + "' names no format and file",
                     "FORMAT:FILE, as in json:cost.json");
  }
  if (text.substr(colon + 1) == "-") {
    throw InputError("--also", "standard output is taken", "a file, or --format for this form");
  }
  return {form_named(text.substr(0, colon), "--also"), text.substr(colon + 1)};
}

Form main_form(const OutputFlags& flags) {
  if (flags.json && flags.format && *flags.format != "json") {
    throw InputError("--json", "conflicts with --format " + *flags.format, "one of the two");
  }
  return form_named(flags.json ? "json" : flags.format.value_or("table"), "--format");
}

/// Colour only on a terminal that shows it, and not where NO_COLOR (no-color.org) is set.
bool stdout_shows_colour() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool refused = no_colour != nullptr && *no_colour != '\0';
  return ::isatty(STDOUT_FILENO) == 1 && !refused && terminal != nullptr &&
         std::strcmp(terminal, "dumb") != 0;
}

}  // namespace

void OutputFlags::declare(Flags& flags) {
  flags.heading("Output");
  flags.option("--format", "FORMAT", format, "table (default), json, csv, markdown or latex");
  flags.toggle("--json", json, "Short for --format json");
  flags.option("-o,--output", "FILE", file, "Write to FILE, whole or not at all");
  flags.repeatable("--also", "FORMAT:FILE", also, "Write a further form too; repeatable");
}

OutputPlan output_plan(const OutputFlags& flags) {
  OutputPlan plan;
  Mistakes mistakes;
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (const InputError& error) {
      mistakes.add(error);
    }
  };
  attempt([&] { plan.form = main_form(flags); });
  for (const std::string& text : flags.also) {
    attempt([&] { plan.further.push_back(further_output(text)); });
  }
  mistakes.throw_if_any();
  if (flags.file && *flags.file != "-") plan.file = flags.file;
  // What cannot be written is said before the work, not after it.
  if (plan.file) (void)WholeFile(*plan.file);
  for (const OutputPlan::Further& further : plan.further) (void)WholeFile(further.file);
  return plan;
}

void write_answer(const Answer& answer, const OutputPlan& plan) {
  const bool emphasis = !plan.file && stdout_shows_colour();
  const std::string text = answer.text(plan.form, emphasis);
  std::vector<WholeFile> files;
  if (plan.file) files.emplace_back(*plan.file, text);
  for (const OutputPlan::Further& further : plan.further) {
    files.emplace_back(further.file, answer.text(further.form, false));
  }
  for (WholeFile& file : files) file.commit();
  if (!plan.file) write_stdout(text);
}

void write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    if (written >= 0 || errno == EINTR) continue;
    if (errno == EPIPE) return;
    throw InputError("standard output", std::string("cannot write: ") + std::strerror(errno));
  }
}

}  // namespace smelt::cli
