#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "smelt/law_fit.hpp"

namespace smelt_test {

/// presets/data/chinchilla-epoch.csv as runs of the Chinchilla form, D = C / 6 N.
inline smelt::LawData epoch_runs() {
  std::ifstream in(std::string(SMELT_TEST_DATA) + "/../../presets/data/chinchilla-epoch.csv");
  smelt::LawData data;
  data.variables.resize(2);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    double params = 0;
    double flops = 0;
    double loss = 0;
    char comma = 0;
    if (!(fields >> params >> comma >> flops >> comma >> loss)) throw std::runtime_error(line);
    data.variables[0].push_back(params);
    data.variables[1].push_back(flops / (6 * params));
    data.loss.push_back(loss);
  }
  return data;
}

}  // namespace smelt_test
