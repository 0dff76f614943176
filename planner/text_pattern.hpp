// Patterns of templates: words and placeholders, "Write a blog post about {topic}". No regular
// expressions.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/tokens.hpp"

namespace troupe::planner {

/// What placeholders took, by their names.
using placeholder_values = std::map<std::string, std::string, std::less<>>;

/// A message that is matched against many patterns. Its words are read once.
class matched_text {
public:
  /// `text` has to live as long.
  explicit matched_text(std::string_view text);

private:
  friend class text_pattern;

  std::string_view text_;
  std::vector<token> words_; ///< Without a full stop at the end.
  bool fits_none_ = false;   ///< It is too long, or has a line end.
};

/// Read once, matched against each message.
class text_pattern {
public:
  /// errc::invalid_document: a placeholder without a name or without its brace, a placeholder
  /// twice, two placeholders without a word between them, no word at all.
  [[nodiscard]] static result<text_pattern> read(std::string_view text);

  /// The placeholders, if the whole of `text` fits; letter case, blanks and a full stop at the end
  /// do not matter. Each placeholder takes one word or more, as few as it can. It takes nothing
  /// that could say more than its value: no end of a sentence, no line end, no ", then", at most
  /// placeholder_bytes_max.
  [[nodiscard]] std::optional<placeholder_values> match(const matched_text& text) const;

  /// Of two patterns that fit, the one with more words fits better.
  [[nodiscard]] std::size_t words() const noexcept { return words_; }
  [[nodiscard]] std::vector<std::string> placeholders() const;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  struct piece {
    bool is_placeholder = false;
    std::string text; ///< A word in lower case, or the name of the placeholder.
  };

  std::string text_;
  std::vector<piece> pieces_;
  std::size_t words_ = 0;
};

} // namespace troupe::planner
