#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "smelt/json_value.hpp"

namespace smelt {

/// Collects the members of an object in order.
class ObjectWriter {
 public:
  void count(const char* key, std::int64_t value) {
    add(key, JsonValue::number(std::to_string(value)));
  }
  void add(const char* key, JsonValue value) { members_.emplace_back(key, std::move(value)); }
  JsonValue take() { return JsonValue::object(std::move(members_)); }

 private:
  JsonValue::Object members_;
};

}  // namespace smelt
