#include "smelt/version.hpp"

namespace smelt {

std::string_view version() { return SMELT_VERSION; }

}  // namespace smelt
