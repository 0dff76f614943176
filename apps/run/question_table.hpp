// Open questions as a table, or as lines for scripts: those of a server, and those of runs.
#pragma once

#include "apps/options.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace troupe {

/// `all`: as `inputs/list` shows them (docs/questions.md).
[[nodiscard]] std::string draw_questions(const std::vector<boost::json::value>& all,
                                         list_format format, colour_choice colour);

/// `question ID claimed by anna until 14:05:00`. `question`: as `inputs/claim` answers it;
/// `releases`: the claim was to be given up.
[[nodiscard]] std::string claim_line(const boost::json::value& question, bool releases);

} // namespace troupe
