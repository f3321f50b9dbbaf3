#pragma once

#include <string>

#include "smelt/table.hpp"

namespace smelt {

std::string write_text(const Document& document, bool emphasis);
std::string write_csv(const Document& document);
std::string write_markdown(const Document& document);
std::string write_latex(const Document& document);

}  // namespace smelt
