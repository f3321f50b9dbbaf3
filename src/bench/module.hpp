#pragma once

#include <string_view>

namespace smelt {

/// The address of `symbol` in the shared library `module`, which lies where smelt's own do. It is
/// loaded when first asked for, so that no other use of smelt waits for what it links to, and never
/// unloaded. Throws Unavailable, saying what `backend` lacks.
void* module_symbol(const char* module, const char* symbol, std::string_view backend);

}  // namespace smelt
