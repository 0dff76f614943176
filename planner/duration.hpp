// How long a step takes, as people write it: "5 minutes", "1 h 30 min", "half a day" is not known.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::planner {

/// The duration that `text` is as a whole, also behind "takes" or "about". At most ten years. A
/// month has 30 days, a year 365.
[[nodiscard]] std::optional<std::chrono::milliseconds> read_duration(std::string_view text);

/// "90 minutes", "1.5 seconds": what read_duration reads as the same. `duration` is above 0.
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);

} // namespace troupe::planner
