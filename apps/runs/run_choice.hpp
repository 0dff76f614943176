// Which runs a person means: by id, by the beginning of an id, `@last`, or by file; and which old
// ones may go. Plain values.
#pragma once

#include "apps/runs/run_entry.hpp"
#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe {

/// The run of `entries` (newest first) that `name` names: `@last`, an id, or the beginning of one
/// id. Errors: objective_not_found, invalid_params (several begin so; the message lists them).
[[nodiscard]] result<run_entry> find_run(const std::vector<run_entry>& entries,
                                         std::string_view name);

/// The newest run that `fits`.
[[nodiscard]] std::optional<run_entry>
newest_run(const std::vector<run_entry>& entries,
           const std::function<bool(const run_entry&)>& fits);

/// `--keep`: how many, or how long. Exactly one is set.
struct keep_rule {
  std::optional<std::size_t> count;
  std::optional<std::chrono::hours> age;
};

/// `100`, `30d`, `12h`, `4w`. Errors: invalid_params.
[[nodiscard]] result<keep_rule> read_keep_rule(std::string_view text);

/// Those of `entries` (newest first) that `rule` does not keep. Runs that go on, or that can be
/// resumed, are kept always, and do not count.
[[nodiscard]] std::vector<run_entry> not_kept(const std::vector<run_entry>& entries,
                                              const keep_rule& rule, timestamp now);

} // namespace troupe
