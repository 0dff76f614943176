// A set of words and phrases that are looked for in a sentence.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/tokens.hpp"

namespace troupe::planner {

class phrase_set {
public:
  explicit phrase_set(std::span<const std::string_view> phrases);

  /// How many words the longest phrase has with which `words` begins; 0: none does.
  [[nodiscard]] std::size_t longest_at(std::span<const token> words) const;

private:
  /// By their first word, the longest first.
  std::map<std::string, std::vector<std::vector<std::string>>, std::less<>> phrases_;
};

/// The words with one blank between them.
[[nodiscard]] std::string joined(std::span<const token> words);

} // namespace troupe::planner
