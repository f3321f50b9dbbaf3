#pragma once

#include "io/object_writer.hpp"
#include "smelt/model.hpp"
#include "smelt/object_reader.hpp"

namespace smelt::native {

/// The spans and options of a model's loop.
struct LoopForm {
  std::vector<LoopSpan> spans;
  LoopOptions options;
};

/// Reads `loop`; no spans where it is absent.
LoopForm read_loop(ObjectReader& file);

/// Writes `loop` where the model has one.
void write_loop(const Model& model, ObjectWriter& out);

}  // namespace smelt::native
