// What a report of a task tells a person: how far the task is, if that is known, and in words.
#pragma once

#include <troupe/protocol/progress.hpp>

#include <optional>
#include <string_view>

namespace troupe {

/// 0 to 1, as fraction_of (protocol/fold/rollup.hpp) has it; nothing: the report has no total.
[[nodiscard]] std::optional<double> known_fraction(const progress_report& report);

/// The message of the aggregate, or of the only tracker; may be empty. It lives as long as the
/// report.
[[nodiscard]] std::string_view words_of(const progress_report& report);

} // namespace troupe
