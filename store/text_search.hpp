// Finds a text in other texts. A plain value.
#pragma once

#include "protocol/text/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The case of ASCII letters does not count. Linear in both texts, whatever they are
/// (Knuth, Morris, Pratt).
class text_search {
public:
  /// The empty text is in every text.
  explicit text_search(std::string_view wanted = {}) : shorter_(wanted.size()) {
    for (const char c : wanted)
      wanted_ += ascii_lower(c);
    for (std::size_t end = 1, matched = 0; end < wanted_.size(); ++end) {
      matched = step(matched, wanted_[end]);
      shorter_[end] = matched;
    }
  }

  [[nodiscard]] bool is_empty() const noexcept { return wanted_.empty(); }

  [[nodiscard]] bool is_in(std::string_view text) const noexcept {
    std::size_t matched = 0;
    for (std::size_t at = 0; at < text.size() && matched < wanted_.size(); ++at)
      matched = step(matched, ascii_lower(text[at]));
    return matched == wanted_.size();
  }

private:
  /// How much of the text is matched with `next` behind `matched` characters.
  [[nodiscard]] std::size_t step(std::size_t matched, char next) const noexcept {
    while (matched > 0 && wanted_[matched] != next)
      matched = shorter_[matched - 1];
    return wanted_[matched] == next ? matched + 1 : 0;
  }

  std::string wanted_; ///< In lower case.
  /// For each beginning of the text: the length of the longest shorter one that ends it.
  std::vector<std::size_t> shorter_;
};

} // namespace troupe
