// Where something stands in a JSON text: lines and columns for error messages, what the parser
// itself does not tell (a member that appears twice), and the way from a JSON pointer back to the
// text. Only read when something went wrong, or for files. `line_of` is declared in
// include/troupe/protocol/plan_document.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// Counted from 1. The column counts characters (code points), not bytes.
struct text_position {
  std::size_t line = 1;
  std::size_t column = 1;

  friend bool operator==(const text_position&, const text_position&) = default;
};

/// The position of the byte at `offset`; of the end if it lies beyond.
[[nodiscard]] text_position position_at(std::string_view text, std::size_t offset);

/// Bytes of a text.
struct text_range {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const text_range&, const text_range&) = default;
};

/// A value in the text of a document.
struct value_place {
  text_range value;
  text_range name; ///< Of the member whose value it is, without quotes; empty: it has none.

  friend bool operator==(const value_place&, const value_place&) = default;
};

/// Where the value that `pointer` (RFC 6901) names stands in `json`, which must be well-formed.
[[nodiscard]] std::optional<value_place> find_value(std::string_view json,
                                                    std::string_view pointer);

struct duplicate_member {
  std::size_t offset; ///< Of the second one's name.
  std::string name;   ///< As written, escapes included.
};

/// The first member name that appears twice in one object. RFC 8259 leaves open which one counts; a
/// plan must not. `json` must be well-formed. At most one entry of memory per member of the open
/// objects.
[[nodiscard]] std::optional<duplicate_member> find_duplicate_member(std::string_view json);

} // namespace troupe
