#pragma once

#include <string>

#include "smelt/error.hpp"

/// The text of the InputError that `action` throws; "" when it throws none.
template <typename Action>
std::string failure(Action action) {
  try {
    static_cast<void>(action());
  } catch (const smelt::InputError& error) {
    return error.what();
  }
  return "";
}
