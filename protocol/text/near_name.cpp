#include "protocol/text/near_name.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace troupe {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto same = ascii_lower(a[i - 1]) == ascii_lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && ascii_lower(a[i - 1]) == ascii_lower(b[j - 2])
          && ascii_lower(a[i - 2]) == ascii_lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view nearest_name(std::string_view written,
                              std::span<const std::string_view> candidates) {
  if (written.empty() || written.size() > name_compared_bytes_max)
    return {};
  std::string_view best;
  auto least = std::max<std::size_t>(1, written.size() / 3) + 1;
  for (const auto candidate : candidates) {
    const auto far = edit_distance(written, candidate);
    // Of two that are as near the one that only goes on.
    const bool goes_on = far == least && candidate.starts_with(written) && !best.empty()
                         && !best.starts_with(written);
    if (far < candidate.size() && (far < least || goes_on)) {
      best = candidate;
      least = far;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view written, std::span<const std::string_view> candidates) {
  const auto best = nearest_name(written, candidates);
  return best.empty() ? std::string{} : "; did you mean " + quoted(best) + "?";
}

} // namespace troupe
