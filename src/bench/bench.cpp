#include "smelt/bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

#include "bench/backend.hpp"
#include "bench/bench_shape.hpp"
#include "bench/calibration.hpp"
#include "bench/cpu/cpu_machine.hpp"
#include "bench/cuda_backend.hpp"
#include "bench/layer_inputs.hpp"
#include "smelt/error.hpp"

namespace smelt {

namespace {

constexpr double kClockChange = 0.05;   // beyond which the machine was not the same throughout
constexpr double kBelowIdeal = 0.03;    // a measured time may lie this far below its bound
constexpr double kNoisyQuartile = 1.3;  // p90 over p10 of a quiet machine stays below this

/// A layer on the machine, what its steps have to do, and the samples of each.
struct Subject {
  LayerShape shape;
  std::vector<std::int64_t> expert_rows;
  std::unique_ptr<LayerRun> run;
  std::vector<Operator> operators;
  std::vector<std::vector<double>> step_samples;  ///< by step
  std::vector<double> graph_samples;
};

std::unique_ptr<Backend> make_backend(const BenchOptions& options) {
  if (options.backend == BenchBackend::kCuda) {
    return make_cuda_backend({options.expert_kernel, options.bf16});
  }
  return make_cpu_backend(options.threads, best_gemm_library());
}

Subject make_subject(Backend& backend, const LayerShape& shape, const BenchOptions& options) {
  Subject subject;
  subject.shape = shape;
  subject.expert_rows =
      expert_rows(options.routing, shape.tokens, shape.top_k, shape.num_experts, options.seed);
  subject.run = backend.make_layer(shape);
  fill_inputs(*subject.run, shape, options.seed);
  subject.run->force_routing(routing_with_rows(subject.expert_rows, shape.tokens, shape.top_k));
  const std::int64_t element_bytes = backend.machine().precision == "fp32" ? 4 : 2;
  subject.operators = step_operators(shape, subject.expert_rows, element_bytes);
  subject.step_samples.resize(subject.operators.size());
  return subject;
}

CacheState cache_state(BenchCache cache) {
  return cache == BenchCache::kHot    ? CacheState::kHot
         : cache == BenchCache::kCold ? CacheState::kCold
                                      : CacheState::kSequence;
}

/// One pass over a subject: the sum of its steps' seconds, each of them kept.
double time_pass(Subject& subject, CacheState state) {
  const std::vector<double> seconds = subject.run->time_steps(state);
  for (std::size_t i = 0; i < seconds.size(); ++i) subject.step_samples[i].push_back(seconds[i]);
  if (const double graph_s = subject.run->time_graph(); graph_s > 0) {
    subject.graph_samples.push_back(graph_s);
  }
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// Interleaves all subjects; the samples of warm-up passes are dropped.
InterleavedSamples time_subjects(std::vector<Subject>& subjects, const BenchOptions& options,
                                 const std::function<void()>& before_round) {
  std::vector<TimedPass> passes;
  for (Subject& subject : subjects) {
    passes.emplace_back([&] { return time_pass(subject, cache_state(options.cache)); });
  }
  InterleavedSamples samples = interleave(passes, options.sampling, before_round);
  const auto warm_up = static_cast<std::ptrdiff_t>(options.sampling.warm_up);
  for (Subject& subject : subjects) {
    for (std::vector<double>& list : subject.step_samples) {
      list.erase(list.begin(), list.begin() + warm_up);
    }
    if (!subject.graph_samples.empty()) {
      subject.graph_samples.erase(subject.graph_samples.begin(),
                                  subject.graph_samples.begin() + warm_up);
    }
  }
  return samples;
}

/// The median of each rate: what the same machine gave in the same rounds as the times.
Ceilings median_of(const std::vector<Ceilings>& samples) {
  const auto median = [&](const auto& rate) {
    std::vector<double> rates;
    for (const Ceilings& sample : samples) rates.push_back(rate(sample));
    return quantile(std::move(rates), 0.5);
  };
  Ceilings result = samples.front();
  result.flops_per_s = median([](const Ceilings& sample) { return sample.flops_per_s; });
  for (std::size_t i = 0; i < result.bandwidth.size(); ++i) {
    result.bandwidth[i].bytes_per_s =
        median([i](const Ceilings& sample) { return sample.bandwidth[i].bytes_per_s; });
  }
  return result;
}

Calibration calibrate(const std::vector<Subject>& subjects, std::size_t first) {
  std::vector<Observation> observations;
  for (std::size_t s = first; s < subjects.size(); ++s) {
    for (std::size_t i = 0; i < subjects[s].operators.size(); ++i) {
      observations.push_back({subjects[s].shape, subjects[s].operators[i],
                              quantile(subjects[s].step_samples[i], 0.5)});
    }
  }
  return Calibration(observations);
}

BenchModel model_result(const Model& model, const Subject& subject, std::vector<double> samples,
                        const Ceilings& ceilings, const Calibration& calibration) {
  BenchModel result;
  result.name = model.name;
  result.shape = subject.shape;
  result.expert_rows = subject.expert_rows;
  result.executed_layers = effective_layers(model);
  for (std::size_t i = 0; i < subject.operators.size(); ++i) {
    const Operator& op = subject.operators[i];
    result.operators.push_back({op.kind, op.pass, op.flops, op.bytes, ideal_seconds(op, ceilings),
                                calibration.seconds(subject.shape, op),
                                summarize(subject.step_samples[i]), subject.step_samples[i]});
    result.ideal_s += result.operators.back().ideal_s;
    result.predicted_s += result.operators.back().predicted_s;
  }
  result.measured = summarize(samples);
  result.samples = std::move(samples);
  result.graph_samples = subject.graph_samples;
  for (const HostCost& cost : subject.run->host_costs()) {
    result.host_s.emplace_back(cost.what, cost.seconds);
  }
  return result;
}

double total_flops(const BenchModel& model) {
  double flops = 0;
  for (const BenchOperator& op : model.operators) flops += op.flops.to_double();
  return flops;
}

BenchRatio ratio_to(const BenchModel& baseline, const BenchModel& model) {
  const double layers =
      static_cast<double>(model.executed_layers) / static_cast<double>(baseline.executed_layers);
  return {model.name, layers * total_flops(model) / total_flops(baseline),
          layers * model.ideal_s / baseline.ideal_s,
          layers * model.predicted_s / baseline.predicted_s,
          layers * paired_ratio(baseline.samples, model.samples)};
}

void add_warnings(BenchResult& result) {
  const auto warn = [&](std::string text) { result.warnings.push_back(std::move(text)); };
  if (!result.converged) {
    warn("the medians did not settle to the wanted half-width within the time limit");
  }
  if (std::abs(result.clock_change) > kClockChange) {
    warn(
        fmt::format("fixed work took {:+.0f} % at the end of what it took at the start: other "
                    "load, or a clock that changed",
                    100 * result.clock_change));
  }
  for (const BenchModel& model : result.models) {
    if (model.measured.drifted) {
      warn(fmt::format("{}: times drifted by {:+.0f} % during the run", model.name,
                       100 * model.measured.drift));
    }
    if (model.measured.p90 > kNoisyQuartile * model.measured.p10) {
      warn(fmt::format("{}: p90 is {:.2f} times p10; the machine is not quiet", model.name,
                       model.measured.p90 / model.measured.p10));
    }
    for (const BenchOperator& op : model.operators) {
      if (op.share_of_ceiling() > 1 + kBelowIdeal) {
        warn(fmt::format(
            "{}: {} {} ran in {:.0f} % of its bound; the ceilings were measured too "
            "low",
            model.name, operator_name(op.kind), pass_name(op.pass), 100 / op.share_of_ceiling()));
      }
    }
  }
}

BenchMachine machine_of(const MachineInfo& info) {
  return {info.backend, info.name,        info.library, info.precision,
          info.units,   info.cache_bytes, info.notes};
}

BenchCeilings ceilings_of(const Ceilings& ceilings) {
  BenchCeilings result{ceilings.flops_per_s, {}};
  for (const BandwidthPoint& point : ceilings.bandwidth) {
    result.bandwidth.push_back({point.footprint_bytes, point.bytes_per_s});
  }
  return result;
}

}  // namespace

double BenchRatio::miss() const { return std::abs(predicted / measured - 1); }

BenchResult run_bench(const std::vector<Model>& models, const BenchOptions& options) {
  std::vector<LayerShape> shapes;
  for (const Model& model : models) shapes.push_back(bench_shape(model, options));
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (const LayerShape& shape : calibration_shapes(shapes[i])) shapes.push_back(shape);
  }
  const std::unique_ptr<Backend> backend = make_backend(options);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (const std::string why = backend->refusal(shapes[i]); !why.empty()) {
      throw InputError(models[i < models.size() ? i : 0].name, why);
    }
  }

  BenchResult result;
  result.machine = machine_of(backend->machine());
  const double probe = backend->clock_probe();
  std::vector<Subject> subjects;
  for (const LayerShape& shape : shapes) {
    subjects.push_back(make_subject(*backend, shape, options));
  }
  std::vector<Ceilings> ceiling_samples;
  const InterleavedSamples samples = time_subjects(
      subjects, options, [&] { ceiling_samples.push_back(backend->sample_ceilings()); });
  const Ceilings ceilings = median_of(ceiling_samples);
  result.ceilings = ceilings_of(ceilings);
  result.converged = samples.converged;
  result.clock_change = backend->clock_probe() / probe - 1;
  const Calibration calibration = calibrate(subjects, models.size());
  for (std::size_t i = 0; i < models.size(); ++i) {
    result.models.push_back(
        model_result(models[i], subjects[i], samples.subjects[i], ceilings, calibration));
    if (i > 0) result.ratios.push_back(ratio_to(result.models[0], result.models[i]));
  }
  add_warnings(result);
  return result;
}

}  // namespace smelt
