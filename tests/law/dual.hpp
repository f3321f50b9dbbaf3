#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace smelt_test {

/// A value and its derivatives by N parameters: forward-mode differentiation, exact to round-off.
template <std::size_t N>
struct Dual {
  double value = 0;
  std::array<double, N> slope{};

  Dual() = default;
  Dual(double constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
  static Dual variable(double at, std::size_t index) {
    Dual x(at);
    x.slope[index] = 1;
    return x;
  }
};

/// f(x) by the chain rule from f and f' at x.
template <std::size_t N>
Dual<N> chain(double value, double factor, const Dual<N>& x) {
  Dual<N> y(value);
  for (std::size_t i = 0; i < N; ++i) y.slope[i] = factor * x.slope[i];
  return y;
}

template <std::size_t N>
Dual<N> operator+(const Dual<N>& a, const Dual<N>& b) {
  Dual<N> y(a.value + b.value);
  for (std::size_t i = 0; i < N; ++i) y.slope[i] = a.slope[i] + b.slope[i];
  return y;
}

template <std::size_t N>
Dual<N> operator-(const Dual<N>& a) {
  return chain(-a.value, -1, a);
}

template <std::size_t N>
Dual<N> operator-(const Dual<N>& a, const Dual<N>& b) {
  return a + (-b);
}

template <std::size_t N>
Dual<N> operator*(const Dual<N>& a, const Dual<N>& b) {
  Dual<N> y(a.value * b.value);
  for (std::size_t i = 0; i < N; ++i) y.slope[i] = a.slope[i] * b.value + a.value * b.slope[i];
  return y;
}

template <std::size_t N>
Dual<N> operator/(const Dual<N>& a, const Dual<N>& b) {
  return a * chain(1 / b.value, -1 / (b.value * b.value), b);
}

template <std::size_t N>
Dual<N> exp(const Dual<N>& x) {
  const double value = std::exp(x.value);
  return chain(value, value, x);
}

template <std::size_t N>
Dual<N> log(const Dual<N>& x) {
  return chain(std::log(x.value), 1 / x.value, x);
}

template <std::size_t N>
Dual<N> pow(const Dual<N>& x, const Dual<N>& power) {
  return exp(power * log(x));
}

template <std::size_t N>
Dual<N> sin(const Dual<N>& x) {
  return chain(std::sin(x.value), std::cos(x.value), x);
}

template <std::size_t N>
Dual<N> cos(const Dual<N>& x) {
  return chain(std::cos(x.value), -std::sin(x.value), x);
}

template <std::size_t N>
Dual<N> atan(const Dual<N>& x) {
  return chain(std::atan(x.value), 1 / (1 + x.value * x.value), x);
}

}  // namespace smelt_test
