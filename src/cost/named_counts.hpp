#pragma once

#include "smelt/error.hpp"
#include "smelt/model.hpp"

namespace smelt {

/// count(), with the model's name put to its mistakes. A count that passes 64 bits is a mistake of
/// the model: its dimensions are well formed, but too large.
template <typename Counting>
auto counted_for(const Model& model, Counting count) {
  try {
    return count();
  } catch (const CountOverflow& overflow) {
    throw InputError(model.name, overflow.what(), "smaller dimensions");
  } catch (const InputError& error) {
    throw error.within(model.name);
  }
}

}  // namespace smelt
