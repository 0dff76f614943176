// Objectives and their changes as a client is shown them (`objectives/get`,
// `objectives/subscribe`), as the values that the fold takes: so a client far away shows what
// happens with the same code as `troupe run`. The other direction of `write` (codec_opt.hpp) and
// `write_changes` (objective_change.hpp).
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/objective.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::opt {

/// An objective as it was written with its plans; with its tasks, if they are there. A task that
/// was removed is not there: its place is empty (`is_removed`). Ids of renewed tasks (`….r1`) keep
/// their generation. Errors: invalid_agent_response, with a JSON pointer into `from`.
[[nodiscard]] result<objective_view> read_objective_view(const boost::json::value& from);

/// How far an objective was written to be, 0 to 1; nothing if it is not said.
[[nodiscard]] std::optional<double> read_fraction(const boost::json::value& from) noexcept;

/// What models have used, as codec_opt.hpp writes it into `from` by that name; nothing used if it
/// is not there.
[[nodiscard]] model_usage read_usage(const boost::json::object& from,
                                     std::string_view name) noexcept;

/// One `change` of a subscription.
struct shown_changes {
  std::string cursor;
  std::vector<change> changes; ///< In their order; each about one task, or about the objective.
  /// The structure of the objective is another one now. The changes do not say all of it: it is to
  /// be read again.
  bool is_reshaped = false;
};

/// `of`: the objective, as far as its plans are concerned. Events of kinds that are not known are
/// passed over. Errors: invalid_agent_response.
[[nodiscard]] result<shown_changes> read_changes(const boost::json::value& from,
                                                 const objective_view& of);

} // namespace troupe::opt
