#pragma once

#include <Eigen/Core>

#include "law/least_squares.hpp"
#include "smelt/law_fit.hpp"

namespace smelt::law {

/// The runs in the logarithms that a fit works with, and the map between a law's coefficients and
/// the parameters p = (log E, log A', log B', capacity exponent, data exponent, extra exponent).
/// A' and B' are the scales at the geometric means X_0 and D_0, A' = A X_0^-alpha, which takes the
/// strong correlation out between a scale and its exponent.
class LogRuns {
 public:
  explicit LogRuns(const LawData& data);

  [[nodiscard]] LawForm form() const { return form_; }
  [[nodiscard]] Eigen::Index rows() const { return log_loss_.size(); }
  /// 5, or 6 with an extra exponent.
  [[nodiscard]] Eigen::Index num_parameters() const;

  [[nodiscard]] Eigen::VectorXd to_parameters(const LawCoefficients& coefficients) const;
  [[nodiscard]] LawCoefficients to_coefficients(const Eigen::VectorXd& parameters) const;

  /// log of (X / X_0)^-alpha, with (1-S)^b where the form has it, for every run.
  [[nodiscard]] Eigen::VectorXd log_capacity_term(double exponent, double extra) const;
  /// log of (D / D_0)^-beta for every run.
  [[nodiscard]] Eigen::VectorXd log_data_term(double exponent) const;
  [[nodiscard]] const Eigen::VectorXd& log_loss() const { return log_loss_; }

  /// log L_predicted - log L and its derivatives by p.
  bool evaluate(const Eigen::VectorXd& parameters, Eigen::VectorXd& residuals,
                Eigen::MatrixXd* jacobian) const;

  /// The runs drawn at least once, each weighted by how often.
  [[nodiscard]] LogRuns subset(const std::vector<std::size_t>& rows) const;

 private:
  LogRuns() = default;

  LawForm form_ = LawForm::kChinchilla;
  double log_capacity_center_ = 0;  ///< log X_0
  double log_tokens_center_ = 0;    ///< log D_0
  Eigen::VectorXd log_capacity_;    ///< log X - log X_0; unused in kLoop
  Eigen::VectorXd log_dense_;       ///< log(1 - S); kSparse
  Eigen::VectorXd once_;            ///< N_once / X_0; kLoop
  Eigen::VectorXd recurrent_;       ///< N_rec / X_0; kLoop
  Eigen::VectorXd log_visits_;      ///< log r; kLoop
  Eigen::VectorXd log_tokens_;      ///< log D - log D_0
  Eigen::VectorXd log_loss_;
};

}  // namespace smelt::law
