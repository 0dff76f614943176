#include "protocol/text/text.hpp"
#include <troupe/protocol/progress.hpp>

#include <array>
#include <cmath>
#include <unordered_set>
#include <utility>

namespace troupe {

namespace {

constexpr std::array<std::string_view, 3> status_names{"running", "completed", "failed"};

std::size_t code_points(std::string_view utf8) {
  std::size_t n = 0;
  for (const char c : utf8)
    n += !continues_utf8(c);
  return n;
}

error bad(const std::string& field, const std::string& message) {
  return make_error(errc::invalid_params, field + ": " + message, field);
}

result<void> check_amounts(const std::string& where, std::optional<double> progress,
                           std::optional<double> total) {
  if (progress && !(std::isfinite(*progress) && *progress >= 0))
    return bad(where + ".progress", "must be a number >= 0");
  if (total && !(std::isfinite(*total) && *total >= 0))
    return bad(where + ".total", "must be a number >= 0");
  if (progress && total && *progress > *total)
    return bad(where + ".progress", "must not exceed total");
  return {};
}

} // namespace

std::string_view to_string(tracker_status status) noexcept {
  return status_names[static_cast<std::size_t>(status)];
}

std::optional<tracker_status> tracker_status_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < status_names.size(); ++i)
    if (status_names[i] == text)
      return static_cast<tracker_status>(i);
  return std::nullopt;
}

result<void> validate(const progress_report& report) {
  if (report.trackers.size() > progress_trackers_max)
    return bad("trackers",
               "at most " + std::to_string(progress_trackers_max) + " trackers (maxTrackers)");
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < report.trackers.size(); ++i) {
    const auto& tracker = report.trackers[i];
    const auto where = "trackers[" + std::to_string(i) + "]";
    const auto id_chars = code_points(tracker.id);
    if (id_chars == 0 || id_chars > progress_id_chars_max)
      return bad(where + ".id", "must have 1 to " + std::to_string(progress_id_chars_max)
                                    + " characters (maxIdChars)");
    if (!seen.insert(tracker.id).second)
      return bad(where + ".id", "is used twice: " + tracker.id);
    if (code_points(tracker.message) > progress_message_chars_max)
      return bad(where + ".message", "at most " + std::to_string(progress_message_chars_max)
                                         + " characters (maxMessageChars)");
    if (auto ok = check_amounts(where, tracker.progress, tracker.total); !ok)
      return ok;
  }
  if (report.aggregate)
    for (const auto& [name, amount] :
         {std::pair{"progress", report.aggregate->progress}, {"total", report.aggregate->total}})
      if (amount && !std::isfinite(*amount))
        return bad(std::string{"aggregate."} + name, "must be a number");
  if (report.aggregate && code_points(report.aggregate->message) > progress_message_chars_max)
    return bad("aggregate.message", "at most " + std::to_string(progress_message_chars_max)
                                        + " characters (maxMessageChars)");
  return {};
}

} // namespace troupe
