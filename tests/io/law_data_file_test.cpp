#include "smelt/law_data_file.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "smelt/error.hpp"

using smelt::ColumnMap;
using smelt::LawData;
using smelt::LawForm;

TEST_CASE("columns are found by the variables' names") {
  const smelt::DataTable table =
      smelt::parse_csv("loss,tokens,params\n2.5,1e9,50M\n2.25,2e9,1e8\n");
  const LawData data = smelt::read_law_data(table, LawForm::kChinchilla, {});
  CHECK(data.loss == std::vector<double>{2.5, 2.25});
  CHECK(data.variables == std::vector<std::vector<double>>{{5e7, 1e8}, {1e9, 2e9}});
}

TEST_CASE("tokens follow from the training FLOPs where no column has them") {
  const smelt::DataTable dense = smelt::parse_csv("params,training_flops,loss\n1e9,6e19,3\n");
  CHECK(smelt::read_law_data(dense, LawForm::kChinchilla, {}).variables[1][0] == Approx(1e10));
  const smelt::DataTable sparse = smelt::parse_csv("F,S,C,L\n1e9,0.9,1e20,3\n");
  const ColumnMap map = smelt::parse_column_map("F=F,S=S,C=C,L=L", LawForm::kSparse, "--map");
  CHECK(smelt::read_law_data(sparse, LawForm::kSparse, map).variables[2][0] == Approx(1e11));
  // F = 6 (N_once + r N_rec) = 6 (1e8 + 4 x 1e8).
  const smelt::DataTable loop =
      smelt::parse_csv("once_params,recurrent_params,visits,budget,loss\n1e8,1e8,4,3e19,3\n");
  CHECK(smelt::read_law_data(loop, LawForm::kLoop, {}).variables[3][0] == Approx(1e10));
}

TEST_CASE("a map gives each variable its column, by name or letter") {
  const ColumnMap map =
      smelt::parse_column_map("N=n_params,tokens=d,L=final", LawForm::kChinchilla, "--map");
  CHECK(map == ColumnMap{{"params", "n_params"}, {"tokens", "d"}, {"loss", "final"}});
  CHECK(smelt::parse_column_map("", LawForm::kLoop, "--map").empty());
}

TEST_CASE("faults of a map and of cells are named") {
  const auto parse = [](const char* text) {
    return smelt::parse_column_map(text, LawForm::kChinchilla, "--map");
  };
  CHECK_THROWS_WITH(parse("S=s"),
                    "--map: the form chinchilla has no variable 'S' (one of params, tokens, loss, "
                    "budget)");
  CHECK_THROWS_WITH(parse("N"),
                    "--map: 'N' maps nothing (VARIABLE=COLUMN, as in N=params,D=tokens,L=loss)");
  CHECK_THROWS_WITH(parse("N=a,params=b"), "--map: params is mapped twice (one column a variable)");
  const smelt::DataTable table = smelt::parse_csv("params,tokens,loss\n1e9,x,3\n1e9,,3\n");
  CHECK_THROWS_WITH(smelt::read_law_data(table, LawForm::kChinchilla, {}),
                    "line 2, tokens: 'x' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)\n"
                    "line 3, tokens: '' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)");
  CHECK_THROWS_WITH(smelt::read_law_data(table, LawForm::kSparse, {}),
                    "flops_per_token: no column holds it (--map flops_per_token=COLUMN, one of "
                    "params, tokens, loss)");
  CHECK_THROWS_WITH(smelt::read_law_data(table, LawForm::kChinchilla, {{"loss", "los"}}),
                    "--map loss: los: no column of that name (did you mean 'loss'?)");
}
