// What was spent with each model, today and for each objective, as a file: budgets of the day and
// of an objective survive the process. Plain functions; the file is small and written as a whole.
#pragma once

#include "client/models/budget.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace troupe::models {

struct day_entry {
  std::int64_t day = 0; ///< Since 1970, UTC.
  spending spent;
  objective_spendings objectives{};

  friend bool operator==(const day_entry&, const day_entry&) = default;
};

/// By the names of the models.
using day_entries = std::map<std::string, day_entry>;

/// None, if there is no such file. Errors: invalid_document (it was written by something else),
/// store_failed (it cannot be read).
[[nodiscard]] result<day_entries> read_day_file(const std::string& path);

/// In place of what the file had, or not at all. Errors: store_failed.
[[nodiscard]] result<void> write_day_file(const std::string& path, const day_entries& all);

} // namespace troupe::models
