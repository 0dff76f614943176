// Members of a JSON object as clients write them, one after the other.
#pragma once

#include "protocol/json/quoted.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::sim {

class object_text {
public:
  explicit object_text(std::string_view op = {}) {
    if (!op.empty())
      add("op", quoted(op));
  }
  object_text& add(std::string_view name, const std::string& json) {
    text_ += (text_.empty() ? "" : ",") + quoted(name) + ":" + json;
    return *this;
  }
  object_text& add_flag(std::string_view name, bool is_set) {
    return is_set ? add(name, "true") : *this;
  }
  object_text& add_members(const std::string& members) {
    text_ += (text_.empty() ? "" : ",") + members;
    return *this;
  }
  [[nodiscard]] std::string str() const { return "{" + text_ + "}"; }

private:
  std::string text_;
};

[[nodiscard]] inline std::string array_of(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& each : names)
    out += (out.empty() ? "" : ",") + quoted(each);
  return "[" + out + "]";
}

} // namespace troupe::sim
