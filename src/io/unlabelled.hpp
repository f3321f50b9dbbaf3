#pragma once

#include "smelt/model.hpp"

namespace smelt {

/// The model without its name and the context that it is counted at, which foreign forms do not
/// hold, so that what was written can be compared with what is read back.
inline Model unlabelled(Model model) {
  model.name.clear();
  model.attended_keys.reset();
  model.documents.reset();
  model.sequence_length.reset();
  return model;
}

}  // namespace smelt
