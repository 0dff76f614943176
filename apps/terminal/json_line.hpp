// One line of JSON, for the commands that print several.
#pragma once

#include "protocol/json/json_writer.hpp"

#include <string>

namespace troupe {

/// The object whose members `write(json_writer&)` writes, with a line end.
template<class Write>
std::string json_line(Write write) {
  std::string out;
  json_writer to{out};
  to.begin_object();
  write(to);
  to.end_object();
  out += '\n';
  return out;
}

} // namespace troupe
