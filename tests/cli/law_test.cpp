// The law commands as processes: exit statuses, errors, files they write, the same numbers for any
// number of threads.
#include <fstream>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "io/scratch_folder.hpp"
#include "process.hpp"
#include "smelt/json_value.hpp"

namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Outcome law(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), "law");
  Run request;
  request.arguments = std::move(arguments);
  request.input = input;
  return run(request);
}

}  // namespace

TEST_CASE("runs that give no law are an answer, exit 1") {
  const Outcome outcome =
      law({"fit", "-"}, "params,tokens,loss\n1e8,2e9,3\n2e8,4e9,2.9\n4e8,8e9,2.8\n");
  CHECK(outcome.status == 1);
  CHECK(outcome.err.empty());
  CHECK(outcome.out ==
        "not identifiable: 3 runs for 5 coefficients\n  to settle it: at least 6 runs\n");
  const Outcome json = law({"fit", "-", "--json"}, "params,tokens,loss\n1e8,2e9,3\n2e8,4e9,2.9\n");
  CHECK(json.status == 1);
  const smelt::JsonValue result = smelt::parse_json(json.out);
  CHECK(*result.find("status")->if_string() == "not identifiable");
  CHECK(result.find("coefficients")->if_object()->empty());
  CHECK(result.find("objective")->is_null());
}

TEST_CASE("mistakes of the law commands are one line each, exit 2") {
  struct Case {
    std::vector<std::string> arguments;
    const char* error;
  };
  const Case cases[] = {
      {{},
       "law: its second word is missing or unknown (one of law predict, law plan, law gain, "
       "law fit)"},
      {{"plot"},
       "law: its second word is missing or unknown (one of law predict, law plan, law "
       "gain, law fit)"},
      {{"plan"}, "--budget: is missing (training FLOPs, as in 1e21)"},
      {{"plan", "--budget", "1e21,x"},
       "--budget: 'x' is not a number (write 1000, 1_000, 1e3, 1k or 0.5)"},
      {{"plan", "--budget", "1e21", "--law", "smelk"},
       "no law preset 'smelk' (did you mean 'smelt'?)"},
      {{"plan", "--budget", "1e21", "--law", "iso-depth"},
       "law 'iso-depth': its source states no E, A, B, alpha, beta (fit the form to runs of your "
       "own with smelt law fit)"},
      {{"plan", "--budget", "1e21", "--figure", "gain:x.json"},
       "--figure: no figure 'gain' here (frontier or reducible or isoflop, as in "
       "frontier:FILE.json)"},
      {{"predict", "--tokens", "1B"}, "--law: is missing (a law, or a MODEL to choose one by)"},
      {{"fit", "chinchilla-epoch", "--law", "power"},
       "--law: unknown form of law 'power' (one of chinchilla, sparse, loop)"},
      {{"fit", "chinchilla-epoch", "--by", "colour"},
       "--by: colour: no column of that name (one of params, training_flops, loss)"},
      {{"fit", "chinchilla-epoch", "--level", "100%"},
       "--level: 100% is out of range (between 0 and 1, as in 90%)"},
  };
  for (const Case& c : cases) {
    const Outcome outcome = law(c.arguments);
    INFO(c.error);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == std::string("smelt: error: ") + c.error + "\n");
  }
}

TEST_CASE("a fit, its intervals and the saved law are the same on any number of threads") {
  const ScratchFolder folder("law");
  const auto fit = [&](const std::string& threads) {
    const std::string file = (folder.path() / (threads + ".json")).string();
    const Outcome outcome =
        law({"fit", "chinchilla-epoch", "--drop-highest-loss", "5", "--bootstrap", "40",
             "--threads", threads, "--budget", "1e21", "--save", file, "--json"});
    CHECK(outcome.status == 0);
    return outcome.out + content(file);
  };
  CHECK(fit("1") == fit("2"));
  const Outcome plan =
      law({"plan", "--law", (folder.path() / "1.json").string(), "--budget", "1e21", "--json"});
  CHECK(plan.status == 0);
  CHECK(plan.out.find("\"law\": \"fit\"") != std::string::npos);
}

TEST_CASE("figures are written in the form that the file's name asks for") {
  const ScratchFolder folder("figures");
  const std::string vega = (folder.path() / "gain.json").string();
  const std::string gnuplot = (folder.path() / "gain.gp").string();
  const Outcome outcome =
      law({"gain", "smelt", "baseline", "--figure", "gain:" + vega, "--figure", "gain:" + gnuplot});
  CHECK(outcome.status == 0);
  CHECK(smelt::parse_json(content(vega)).find("layer") != nullptr);
  CHECK(content(gnuplot).find("set output \"gain.png\"") != std::string::npos);
}
