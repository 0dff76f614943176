// Tasks and events as they stand in the JSON of the A2A wire, read without the product's codecs.
#pragma once

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/history.hpp"

namespace troupe::sim {

[[nodiscard]] task_view read_task(const boost::json::object& task);

/// As 0.3 writes it, over JSON-RPC or REST.
[[nodiscard]] task_view read_task_0_3(const boost::json::object& task);

/// The tasks of an objective that have begun, as the answer to objectives/get shows them: id and
/// state alone.
[[nodiscard]] std::vector<task_view> read_objective_tasks(const boost::json::object& result);

struct read_event {
  stream_event event;
  std::string task;
  int error = 0; ///< The stream ends with it.
};

/// Nothing for an event that is none of a task.
[[nodiscard]] std::optional<read_event> read_stream_event(std::string_view data);

/// Text of a member; empty: it is not there.
[[nodiscard]] std::string text_at(const boost::json::object& in, std::string_view name);

} // namespace troupe::sim
