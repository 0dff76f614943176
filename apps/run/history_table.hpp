// How an objective or a plan was changed, as a table or as lines for scripts: those of a server,
// and those of runs.
#pragma once

#include "apps/options.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace troupe {

/// `all`: as `objectives/history` and `plans/history` show them.
[[nodiscard]] std::string draw_changes(const std::vector<boost::json::value>& all,
                                       const history_options& options);

/// An operation in a few words: what is done, and to what.
[[nodiscard]] std::string operation_words(const boost::json::value& operation);

} // namespace troupe
