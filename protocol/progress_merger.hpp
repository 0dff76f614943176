// What a task has reported of its progress and not shown yet, and what of it will be shown next:
// the rules of the Task Progress extension that hold between reports (v1 sections 5.2 and 5.3). A
// plain value; one per task that reports progress.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Trackers of one task whose course is remembered. Above: the one seen first is forgotten, and may
/// begin anew.
inline constexpr std::size_t progress_known_max = 256;

class progress_merger {
public:
  /// A report, which is a snapshot: it replaces what waits. A tracker that ended in what waits and
  /// is not in it any more stays until it was shown; one that was shown as ended is left out.
  /// Errors, and nothing is changed then: those of `validate`, and a tracker with a total that went
  /// back since its last report.
  [[nodiscard]] result<void> take(progress_report report);

  /// Whether `show` would tell anything new.
  [[nodiscard]] bool has_news() const noexcept { return waiting_.has_value(); }

  /// What waits; null if there is no news.
  [[nodiscard]] progress_ptr show();

  /// The work begins again: trackers that ended may run once more. What was reached stays reached:
  /// a tracker is shown where it had been until it gets further, or at its total if that is less
  /// now.
  void begin_attempt();

private:
  struct course {
    std::string id;
    std::optional<double> reached; ///< With a total; without one there is no rule.
    std::uint32_t attempt = 0;     ///< In which it was reported last.
    bool ended = false;            ///< And that was shown.
  };

  [[nodiscard]] course* find(const std::string& id) noexcept;
  [[nodiscard]] result<void> check_course(const progress_report& report);
  void follow(progress_tracker& tracker);

  std::vector<course> known_; ///< In the order in which they were first seen.
  std::optional<progress_report> waiting_;
  progress_ptr shown_;
  std::uint32_t attempt_ = 0;
};

} // namespace troupe
