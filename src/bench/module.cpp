#include "bench/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "smelt/error.hpp"

namespace smelt {

void* module_symbol(const char* module, const char* symbol, std::string_view backend) {
  void* library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
  void* address = library == nullptr ? nullptr : dlsym(library, symbol);
  if (address == nullptr) {
    throw Unavailable(fmt::format("{} cannot be loaded ({})", backend, dlerror()));
  }
  return address;
}

}  // namespace smelt
