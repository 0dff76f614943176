// Task progress: trackers and aggregate (Task Progress extension v1, sections 5 and 8). Plain
// values with their rules.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The extension's URI; also its metadata key.
inline constexpr std::string_view progress_uri =
    "https://a2a-protocol.org/extensions/task-progress/v1";

/// Declared in the card; the schema's cap is 100.
inline constexpr std::size_t progress_trackers_max = 20;
inline constexpr std::size_t progress_message_chars_max = 512; ///< Unicode code points.
inline constexpr std::size_t progress_id_chars_max = 128;      ///< Unicode code points.
/// Updates of each tracker a second; declared in the card. Faster updates are merged.
inline constexpr std::uint32_t progress_updates_per_second_max = 2;

enum class tracker_status : std::uint8_t { running, completed, failed };

[[nodiscard]] std::string_view to_string(tracker_status status) noexcept;
[[nodiscard]] std::optional<tracker_status> tracker_status_from(std::string_view text) noexcept;

/// One unit of work that progresses by itself.
struct progress_tracker {
  std::string id;
  std::optional<double> progress;
  std::optional<double> total; ///< Absent: unknown.
  std::string message;
  std::optional<tracker_status> status;
  std::optional<timestamp> started_at;
  std::optional<timestamp> updated_at;

  friend bool operator==(const progress_tracker&, const progress_tracker&) = default;
};

struct progress_aggregate {
  std::optional<double> progress;
  std::optional<double> total;
  std::string message;

  friend bool operator==(const progress_aggregate&, const progress_aggregate&) = default;
};

/// A snapshot of all active trackers of a task.
struct progress_report {
  std::vector<progress_tracker> trackers;
  std::optional<progress_aggregate> aggregate;

  friend bool operator==(const progress_report&, const progress_report&) = default;
};

using progress_ptr = std::shared_ptr<const progress_report>;

/// Checks the extension's MUST rules (5.2, 8): 0 <= progress <= total, total 0 implies progress 0,
/// id 1 to 128 characters, message up to 512, no id twice, at most `progress_trackers_max`
/// trackers, finite numbers in the aggregate (which is advisory and need not match the trackers).
/// The error's field is `trackers[i].member`. Rules between reports: protocol/progress_merger.hpp.
[[nodiscard]] result<void> validate(const progress_report& report);

} // namespace troupe
