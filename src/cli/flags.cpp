#include "cli/flags.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace smelt::cli {

void Flags::note(std::string argument, const std::string& help) {
  entries_.push_back({heading_, std::move(argument), help});
}

void Flags::positional(const std::string& name, std::string& value, const std::string& help) {
  app_->add_option(name, value)->required();
  note(name, help);
}

void Flags::optional_positional(const std::string& name, std::optional<std::string>& value,
                                const std::string& help) {
  app_->add_option(name, value);
  note("[" + name + "]", help);
}

void Flags::positionals(const std::string& name, std::vector<std::string>& values,
                        const std::string& help) {
  app_->add_option(name, values)->required();
  note(name + "...", help);
}

void Flags::optional_positionals(const std::string& name, std::vector<std::string>& values,
                                 const std::string& help) {
  app_->add_option(name, values);
  note("[" + name + "...]", help);
}

void Flags::option(const std::string& flag, const std::string& value_name,
                   std::optional<std::string>& value, const std::string& help) {
  app_->add_option(flag, value);
  note(flag + " " + value_name, help);
}

void Flags::repeatable(const std::string& flag, const std::string& value_name,
                       std::vector<std::string>& values, const std::string& help) {
  app_->add_option(flag, values)->type_size(1)->allow_extra_args(false);
  note(flag + " " + value_name, help);
}

void Flags::toggle(const std::string& flag, bool& value, const std::string& help) {
  app_->add_flag(flag, value);
  note(flag, help);
}

}  // namespace smelt::cli
