// A sentence as words and punctuation. All other parts of the planner read tokens, not characters.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::planner {

/// `text` is in lower case (ASCII), with straight quotes, and one spelling for each arrow ("->",
/// "<-"). A punctuation mark is a token of its own.
struct token {
  std::string text;
  std::size_t begin = 0; ///< Where it is in the sentence, in bytes.
  std::size_t end = 0;

  friend bool operator==(const token&, const token&) = default;
};

/// Linear. Blanks and line ends separate words. A mark within a word belongs to it: "1.5",
/// "after-school", "don't"; a comma never does.
[[nodiscard]] std::vector<token> tokens_of(std::string_view sentence);

/// Whether `word` stands in `table`.
template<std::size_t count>
[[nodiscard]] bool is_in(const std::array<std::string_view, count>& table, std::string_view word) {
  return std::ranges::find(table, word) != table.end();
}

/// The whole number that a token is: at most nine digits, also with "#" before it.
[[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view token);

/// "5-7": the first and the last number.
struct number_range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
[[nodiscard]] std::optional<number_range> range_of(std::string_view token);

/// Blanks at both ends are gone, and each row of blanks is one space.
[[nodiscard]] std::string with_single_blanks(std::string_view text);

/// Its sentences: each ends with a full stop, exclamation mark, question mark or semicolon before a
/// blank, or with the line. What is in double quotes is not looked at.
[[nodiscard]] std::vector<std::string_view> sentences_of(std::string_view text);

} // namespace troupe::planner
