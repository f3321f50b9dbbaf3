#pragma once

#include <map>
#include <string>
#include <string_view>

#include "smelt/data_table.hpp"
#include "smelt/law_fit.hpp"

namespace smelt {

/// Which column holds which variable: {"params", "n_params"}, {"loss", "final_loss"}.
using ColumnMap = std::map<std::string, std::string>;

/// Reads "N=params,D=tokens,L=loss". A variable goes by its name in the form ("params"), or by its
/// letter: N (params), F (flops_per_token), S (sparsity), D (tokens), L (loss), r (visits),
/// N_once, N_rec, and C or budget for the training FLOPs of the run. Throws InputError at `where`.
ColumnMap parse_column_map(std::string_view text, LawForm form, std::string_view where);

/// The runs of a table. A variable that the map leaves out is read from the column of its own name
/// (or "training_flops" for the budget). Where there are no tokens, D = C / F from the budget and
/// the training FLOPs per token that the model stands for (6 N for a dense one).
/// Throws InputError with every cell that is no number.
LawData read_law_data(const DataTable& table, LawForm form, const ColumnMap& map);

}  // namespace smelt
