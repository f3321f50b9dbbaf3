#pragma once

#include <string>
#include <vector>

#include "architecture/source_text.hpp"

/// What the files break of the rules in docs/architecture.md, a line each ("FILE:LINE: WHAT"): an
/// include that points up or sideways, a library outside of its part, a public header that no
/// source mirrors, a name that a part may not use, a type whose name two headers define. The whole
/// tree has to be given at once.
std::vector<std::string> violations(const std::vector<SourceFile>& files);
