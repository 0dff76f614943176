// The lines of a text: which of them are items of a list, and what stands at the end of an item,
// its duration and its order.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::planner {

enum class marker_kind : std::uint8_t {
  none,
  number, ///< "1.", "1)", "(1)", "Step 1:", "(a)": the item has a label.
  bullet, ///< "-", "*", "- [ ]"
};

struct text_line {
  marker_kind marker = marker_kind::none;
  std::string label;
  std::string_view text;      ///< Behind the marker, without blanks at both ends.
  std::string_view whole;     ///< The line, without blanks at both ends.
  std::size_t indent = 0;     ///< Blanks before it; a tab ends at the next fourth one.
  bool has_step_word = false; ///< "Step 1:": may also be a sentence about step 1.
};

/// Lines that are not blank. Items that follow each other on one line ("1. cook 2. eat") become
/// lines of their own; `is_split` is then true. Linear.
struct text_lines {
  std::vector<text_line> lines;
  bool is_split = false;
};
[[nodiscard]] text_lines lines_of_text(std::string_view text);

/// An item's text in its parts.
struct item_parts {
  std::string name; ///< With single blanks.
  std::optional<std::chrono::milliseconds> expected;
  std::vector<std::string> orders; ///< What brackets say about its order: "after 2 and 3".
  std::string_view unread;         ///< In a bracket at the end of the name: "(twice)".
};

/// Why an item is not to be done: "[x] buy" is `done`, "[-] buy" is `dropped`, "~~buy~~" is `struck
/// out`. Empty: it is. `text`: behind its marker.
[[nodiscard]] std::string_view marked_as(std::string_view text);

/// The same at the end of an item's text: "buy rice - done", "buy rice (DONE)".
[[nodiscard]] std::string_view marked_at_end_as(std::string_view text);

/// Takes durations and orders from the end: "paint (2 h) (after 1)", "paint - 2 h", "paint, takes 2
/// h".
[[nodiscard]] item_parts parts_of_item(std::string_view text);

} // namespace troupe::planner
