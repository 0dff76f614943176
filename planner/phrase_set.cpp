#include "planner/phrase_set.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "planner/steps.hpp"

namespace troupe::planner {

phrase_set::phrase_set(std::span<const std::string_view> phrases) {
  for (const auto each : phrases) {
    std::vector<std::string> words;
    for (auto& word : tokens_of(each))
      words.push_back(std::move(word.text));
    auto& rows = phrases_[words.front()];
    rows.push_back(std::move(words));
    std::ranges::stable_sort(rows, std::ranges::greater{}, &std::vector<std::string>::size);
  }
}

std::size_t phrase_set::longest_at(std::span<const token> words) const {
  count_steps(1);
  if (words.empty())
    return 0;
  const auto found = phrases_.find(words.front().text);
  if (found == phrases_.end())
    return 0;
  for (const auto& each : found->second)
    if (each.size() <= words.size()
        && std::ranges::equal(each, words.first(each.size()), {}, {}, &token::text))
      return each.size();
  return 0;
}

std::string joined(std::span<const token> words) {
  std::string out;
  for (const auto& each : words)
    out += (out.empty() ? "" : " ") + each.text;
  return out;
}

} // namespace troupe::planner
