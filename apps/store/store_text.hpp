// What the tools of a data directory found, as text for people and as JSON for programs. Plain
// functions.
#pragma once

#include "store/tools/check.hpp"
#include "store/tools/migrate.hpp"
#include "store/tools/repair.hpp"
#include "store/tools/stat.hpp"

#include <string>

namespace troupe {

// Text: one or several lines, each with its line end.

[[nodiscard]] std::string text_of(const store_finding& finding);
[[nodiscard]] std::string text_of(const check_report& report);
[[nodiscard]] std::string text_of(const store_stat& stat);
/// What is lost, and what is kept. `directory`: for the command that would repair it.
[[nodiscard]] std::string text_of(const repair_report& report, const std::string& directory);
[[nodiscard]] std::string text_of(const migration& done);

// JSON: one object on one line, with its line end (docs/store.md).

[[nodiscard]] std::string json_of(const store_finding& finding);
[[nodiscard]] std::string json_of_note(const std::string& note);
[[nodiscard]] std::string json_of(const check_report& report);
[[nodiscard]] std::string json_of(const store_stat& stat);
[[nodiscard]] std::string json_of(const repair_report& report);
[[nodiscard]] std::string json_of(const migration& done);

} // namespace troupe
