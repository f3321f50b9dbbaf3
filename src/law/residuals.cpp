#include "law/residuals.hpp"

#include <cmath>

namespace smelt::law {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

VectorXd logs(const std::vector<double>& values) { return as_vector(values).array().log(); }

VectorXd pick(const VectorXd& values, const std::vector<std::size_t>& rows) {
  if (values.size() == 0) return values;
  VectorXd picked(static_cast<Index>(rows.size()));
  for (Index i = 0; i < picked.size(); ++i) {
    picked[i] = values[static_cast<Index>(rows[static_cast<std::size_t>(i)])];
  }
  return picked;
}

/// Positions of p, by LawRole.
enum Position : Index { kLogFloor, kLogCapacity, kLogData, kCapacityPower, kDataPower, kExtra };

}  // namespace

LogRuns::LogRuns(const LawData& data) : form_(data.form) {
  log_tokens_ = logs(data.variables.back());
  log_tokens_center_ = log_tokens_.mean();
  log_tokens_.array() -= log_tokens_center_;
  log_loss_ = logs(data.loss);
  if (form_ == LawForm::kLoop) {
    once_ = as_vector(data.variables[0]);
    recurrent_ = as_vector(data.variables[1]);
    log_visits_ = logs(data.variables[2]);
    log_capacity_center_ = (once_ + recurrent_).array().log().mean();
    once_ *= std::exp(-log_capacity_center_);
    recurrent_ *= std::exp(-log_capacity_center_);
    return;
  }
  log_capacity_ = logs(data.variables[0]);
  log_capacity_center_ = log_capacity_.mean();
  log_capacity_.array() -= log_capacity_center_;
  if (form_ == LawForm::kSparse) log_dense_ = (1 - as_vector(data.variables[1]).array()).log();
}

LogRuns LogRuns::subset(const std::vector<std::size_t>& rows) const {
  LogRuns some;
  some.form_ = form_;
  some.log_capacity_center_ = log_capacity_center_;
  some.log_tokens_center_ = log_tokens_center_;
  some.log_capacity_ = pick(log_capacity_, rows);
  some.log_dense_ = pick(log_dense_, rows);
  some.once_ = pick(once_, rows);
  some.recurrent_ = pick(recurrent_, rows);
  some.log_visits_ = pick(log_visits_, rows);
  some.log_tokens_ = pick(log_tokens_, rows);
  some.log_loss_ = pick(log_loss_, rows);
  return some;
}

Index LogRuns::num_parameters() const {
  return static_cast<Index>(law_form_info(form_).coefficients.size());
}

VectorXd LogRuns::to_parameters(const LawCoefficients& coefficients) const {
  VectorXd p(num_parameters());
  for (Index j = 0; j < p.size(); ++j) p[j] = coefficients[static_cast<std::size_t>(j)];
  for (const Index j : {kLogFloor, kLogCapacity, kLogData}) p[j] = std::log(p[j]);
  p[kLogCapacity] -= p[kCapacityPower] * log_capacity_center_;
  p[kLogData] -= p[kDataPower] * log_tokens_center_;
  return p;
}

LawCoefficients LogRuns::to_coefficients(const VectorXd& parameters) const {
  VectorXd p = parameters;
  p[kLogCapacity] += p[kCapacityPower] * log_capacity_center_;
  p[kLogData] += p[kDataPower] * log_tokens_center_;
  LawCoefficients coefficients{};
  for (Index j = 0; j < p.size(); ++j) {
    coefficients[static_cast<std::size_t>(j)] = j <= kLogData ? std::exp(p[j]) : p[j];
  }
  return coefficients;
}

VectorXd LogRuns::log_capacity_term(double exponent, double extra) const {
  if (form_ == LawForm::kLoop) {
    return -exponent *
           (once_.array() + (extra * log_visits_.array()).exp() * recurrent_.array()).log();
  }
  VectorXd term = -exponent * log_capacity_;
  if (form_ == LawForm::kSparse) term += extra * log_dense_;
  return term;
}

VectorXd LogRuns::log_data_term(double exponent) const { return -exponent * log_tokens_; }

bool LogRuns::evaluate(const VectorXd& p, VectorXd& residuals, MatrixXd* jacobian) const {
  const double extra = p.size() > kExtra ? p[kExtra] : 0;
  const VectorXd log_capacity = log_capacity_term(p[kCapacityPower], extra);
  const double floor = std::exp(p[kLogFloor]);
  // Shares of the three terms in L are the derivatives of log L by their logarithms.
  VectorXd capacity = (p[kLogCapacity] + log_capacity.array()).exp();
  VectorXd data = (p[kLogData] - p[kDataPower] * log_tokens_.array()).exp();
  const VectorXd predicted = floor + capacity.array() + data.array();
  residuals = predicted.array().log() - log_loss_.array();
  if (!residuals.allFinite()) return false;
  if (jacobian == nullptr) return true;

  jacobian->resize(rows(), p.size());
  capacity.array() /= predicted.array();
  data.array() /= predicted.array();
  jacobian->col(kLogFloor) = floor / predicted.array();
  jacobian->col(kLogCapacity) = capacity;
  jacobian->col(kLogData) = data;
  jacobian->col(kDataPower) = -data.array() * log_tokens_.array();
  if (form_ == LawForm::kLoop) {
    // X = N_once + r^phi N_rec: d log X / d phi = log r r^phi N_rec / X.
    const VectorXd powered = (extra * log_visits_.array()).exp() * recurrent_.array();
    const VectorXd effective = once_ + powered;
    jacobian->col(kCapacityPower) = -capacity.array() * effective.array().log();
    jacobian->col(kExtra) = -p[kCapacityPower] * capacity.array() * log_visits_.array() *
                            powered.array() / effective.array();
  } else {
    jacobian->col(kCapacityPower) = -capacity.array() * log_capacity_.array();
    if (form_ == LawForm::kSparse) jacobian->col(kExtra) = capacity.array() * log_dense_.array();
  }
  return jacobian->allFinite();
}

}  // namespace smelt::law
