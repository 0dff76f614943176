// YAML 1.2 as far as it says what JSON says: mappings, sequences and scalars of the core schema
// (YAML 1.2.2 section 10.3). The only file that knows libfyaml is its .cpp.
#pragma once

#include "protocol/json/json_location.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace troupe {

/// Longer texts are refused: a plan of that size is made by a program, which can write JSON.
inline constexpr std::size_t yaml_bytes_max = std::size_t{64} << 20;
/// Mappings and sequences within each other.
inline constexpr std::size_t yaml_depth_max = 64;

/// `text` is one document. `no`, `on` and `yes` are texts, as the core schema has it; `0o17` and
/// `0xF` are numbers. Keys are texts, whatever they look like.
/// Errors: parse_error, and the message begins with `line 3, column 5: `. Refused by name: anchors,
/// aliases, tags, a key that stands twice in one mapping, a second document, `.inf` and `.nan`,
/// whole numbers that 64 bits cannot hold, nesting over yaml_depth_max, text that is not UTF-8.
/// limit_exceeded: longer than yaml_bytes_max.
[[nodiscard]] result<boost::json::value> read_yaml(std::string_view text);

/// Where the value that `pointer` (RFC 6901) names stands in `text`; of a mapping or sequence
/// without brackets also what follows it up to the next value.
[[nodiscard]] std::optional<value_place> find_yaml_value(std::string_view text,
                                                         std::string_view pointer);

/// The line (from 1) on which the value that `pointer` names begins; 0 if there is none.
[[nodiscard]] std::size_t line_of_yaml(std::string_view text, std::string_view pointer);

} // namespace troupe
