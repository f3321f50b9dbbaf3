#include "smelt/table.hpp"

#include "report/writers.hpp"
#include "smelt/numbers.hpp"

namespace smelt {

Cell text_cell(std::string text) { return {text, text}; }

Cell count_cell(Count value) { return {with_separators(value), std::to_string(value.value())}; }

Cell rounded_cell(Count value) {
  return {with_unit(value.to_double()), std::to_string(value.value())};
}

Cell percent_cell(double fraction) { return {percent(fraction), shortest(fraction)}; }

Cell signed_percent_cell(double fraction, int digits) {
  std::string text = signed_percent(fraction, digits);
  text.erase(0, text.find_first_not_of(' '));  // columns are aligned to the right as it is
  return {text, shortest(fraction)};
}

std::string render(const Document& document, TableFormat format, bool emphasis) {
  switch (format) {
    case TableFormat::kCsv:
      return write_csv(document);
    case TableFormat::kMarkdown:
      return write_markdown(document);
    case TableFormat::kLatex:
      return write_latex(document);
    case TableFormat::kText:
      break;
  }
  return write_text(document, emphasis);
}

}  // namespace smelt
