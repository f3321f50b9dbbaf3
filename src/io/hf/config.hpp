#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "keys.hpp"
#include "smelt/error.hpp"
#include "smelt/hf_config.hpp"
#include "smelt/json_value.hpp"

namespace smelt::hf {

/// Everything that one import gathers besides the model.
struct Findings {
  Mistakes mistakes;
  std::vector<ImportNote> notes;
  std::vector<HfKey> keys;  ///< asked for, in order, each once
};

/// Typed access to a config by usual key names, whatever alias the config uses. A fault joins the
/// findings and a harmless value takes the key's place, so that the read goes on; a null counts as
/// absent. Only faults of single keys are collected; what follows from them is not.
class Config {
 public:
  Config(const JsonValue& json, std::string where, Findings& findings)
      : json_(&json), where_(std::move(where)), findings_(&findings) {}

  /// Present, not null, under its usual name or an alias.
  [[nodiscard]] bool has(std::string_view key) const { return peek(key) != nullptr; }

  /// The value under any of its names, unread; null where absent.
  [[nodiscard]] const JsonValue* peek(std::string_view key) const;

  /// Whether the key is there with the value null.
  [[nodiscard]] bool states_null(std::string_view key) const;

  /// A count that must be there.
  std::int64_t need(std::string_view key);
  /// A count, or what its absence means: `because` says why.
  std::int64_t count_or(std::string_view key, std::int64_t absent, std::string_view because);
  /// A count that may be absent.
  std::optional<std::int64_t> maybe(std::string_view key, std::string_view because);

  /// Lets later reads of an absent key find this value.
  void give(std::string_view key, std::int64_t absent, std::string_view because);

  bool need_flag(std::string_view key);
  bool flag_or(std::string_view key, bool absent, std::string_view because);
  /// A flag that can only restate what the class always does; another value is a fault.
  void restate_flag(std::string_view key, bool always);
  std::string need_text(std::string_view key);
  std::string text_or(std::string_view key, std::string_view absent, std::string_view because);

  /// A count for each layer: one number for all or a list of `layers` of them.
  std::vector<std::int64_t> need_per_layer(std::string_view key, std::int64_t layers);
  /// A list of counts; absent where there is none.
  std::optional<std::vector<std::int64_t>> counts(std::string_view key, std::string_view because);
  /// A list of texts; absent where there is none.
  std::optional<std::vector<std::string>> texts(std::string_view key, std::string_view because);

  /// A nested object. A missing one is a fault; its keys then read as absent without further
  /// faults.
  Config nested(std::string_view key);

  /// A fault that joins only where no key is at fault yet: what keys say together.
  void inconsistent(std::string_view key, std::string what, std::string expected);
  void note(std::string_view key, std::string text);
  [[nodiscard]] bool sound() const { return findings_->mistakes.empty(); }

  /// Ends the read: a fault for each key that nothing asked for and that changes the count
  /// elsewhere (experts, biases, latent ranks, loops).
  void reject_unread(std::string_view family);

 private:
  struct Found {
    std::string key;
    const JsonValue* value;
  };
  std::optional<Found> find(std::string_view key);
  std::optional<Found> find_asked(std::string_view key, std::string rule);
  void missing(std::string_view key);
  void fault(std::string_view key, std::string what, std::string expected);
  std::optional<std::int64_t> read_count(const Found& found, const KeySpec& spec);
  std::vector<std::int64_t> read_counts(const Found& found, const KeySpec& spec);
  bool read_flag(const Found& found, bool otherwise);
  [[nodiscard]] std::string pointer(std::string_view key) const;

  const JsonValue* json_;
  std::string where_;
  Findings* findings_;
  std::set<std::string, std::less<>> read_;
  std::set<std::string, std::less<>> at_fault_;  ///< each key is at fault once
  std::map<std::string, std::int64_t, std::less<>> given_;
  bool missing_object_ = false;
};

}  // namespace smelt::hf
