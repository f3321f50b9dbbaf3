#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace smelt {

/// One fault in what a user asked for or handed in.
struct Mistake {
  /// A flag ("--tol"), a JSON pointer ("/hidden_size"), a file, or several joined by ": ".
  std::string where;
  /// What is wrong, with the offending value.
  std::string what;
  /// What would be right; may be empty when `what` already says it.
  std::string expected;

  /// "WHERE: WHAT (EXPECTED)", leaving out what is empty.
  [[nodiscard]] std::string line() const;
};

/// The one exception for a user's mistake: wrong input, wrong request. The program exits with 2.
class InputError : public std::exception {
 public:
  InputError(std::string where, std::string what, std::string expected = {});
  explicit InputError(std::vector<Mistake> mistakes);

  [[nodiscard]] const std::vector<Mistake>& mistakes() const { return mistakes_; }
  /// All mistakes, a line each.
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

  /// The same mistakes with `place` (a file, a flag) put before each `where`.
  [[nodiscard]] InputError within(std::string_view place) const;

 private:
  std::vector<Mistake> mistakes_;
  std::string text_;
};

/// Collects every mistake of one input before reporting, so that a file is mended in one go.
class Mistakes {
 public:
  void add(std::string where, std::string what, std::string expected = {});
  /// Takes over the mistakes of an InputError caught on the way.
  void add(const InputError& error);
  [[nodiscard]] bool empty() const { return list_.empty(); }
  /// Throws InputError when there is at least one mistake.
  void throw_if_any() const;

 private:
  std::vector<Mistake> list_;
};

/// The machine lacks what was asked for (no GPU, a build without CUDA). The program exits with 3.
class Unavailable : public std::exception {
 public:
  explicit Unavailable(std::string what) : text_(std::move(what)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// "did you mean 'NAME'?" for the candidate nearest to `name`, or "" when none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace smelt
