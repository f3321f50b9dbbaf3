#pragma once

#include "io/object_writer.hpp"
#include "smelt/model.hpp"
#include "smelt/object_reader.hpp"

namespace smelt::native {

/// What stands outside the layers: embeddings, head, final norms, extras, and the documents that
/// the model is counted for.
void read_outside(ObjectReader& file, Model& model);

void write_outside(const Model& model, ObjectWriter& out);

}  // namespace smelt::native
