#include "protocol/json/quoted.hpp"

#include "protocol/json/json_writer.hpp"
#include "protocol/text/text.hpp"

namespace troupe {

std::string quoted(std::string_view text, std::size_t bytes_max) {
  const auto end = cut_utf8(text, bytes_max);
  std::string out;
  json_writer(out).string(text.substr(0, end));
  if (end < text.size())
    out.insert(out.size() - 1, "...");
  return out;
}

} // namespace troupe
