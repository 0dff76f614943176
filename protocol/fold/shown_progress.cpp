#include "protocol/fold/shown_progress.hpp"

#include "protocol/fold/rollup.hpp"
#include <troupe/protocol/rollup.hpp>

#include <algorithm>

namespace troupe {

std::optional<double> known_fraction(const progress_report& report) {
  const bool has_total = (report.aggregate && report.aggregate->total)
                         || std::ranges::any_of(report.trackers, [](const auto& tracker) {
                              return tracker.total.has_value();
                            });
  if (!has_total)
    return std::nullopt;
  return static_cast<double>(fraction_of(report)) / whole_fraction;
}

std::string_view words_of(const progress_report& report) {
  if (report.aggregate && !report.aggregate->message.empty())
    return report.aggregate->message;
  return report.trackers.size() == 1 ? std::string_view(report.trackers[0].message)
                                     : std::string_view{};
}

} // namespace troupe
