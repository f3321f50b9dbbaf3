#include "smelt/kv_report.hpp"

namespace smelt {

KvAtContext kv_at_context(const Model& model, std::int64_t context, std::int64_t batch,
                          KvDtype dtype) {
  return {context, batch, kv_bytes(kv_elements_at(model, context), dtype) * batch,
          kv_bytes(kv_elements_reserved(model, context), dtype) * batch};
}

}  // namespace smelt
