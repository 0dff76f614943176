#include "protocol/json/json_text.hpp"

#include "protocol/json/json_writer.hpp"

namespace troupe {

std::string json_text(const boost::json::value& value) {
  std::string out;
  json_writer{out}.value(value);
  return out;
}

std::string text_of_value(const boost::json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json_text(value);
}

} // namespace troupe
