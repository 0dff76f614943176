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

/// The objective with what stands there of its plans and their tasks.
[[nodiscard]] shown_objective read_objective(const boost::json::object& objective);
[[nodiscard]] shown_plan read_plan(const boost::json::object& plan);
/// The names that stand there were shown to that client.
void note_names(const shown_plan& plan, const std::string& client, history& into);
void note_names(const shown_objective& objective, const std::string& client, history& into);
/// A server that has something of somebody else shows it with its mark.
void note_leaks(const std::string& bytes, const std::string& to, history& into);
/// The changes in an answer of a history, as they stand there.
[[nodiscard]] std::vector<shown_revision> read_revisions(const boost::json::object& result);
/// How the cancels of delegated tasks ended, as the answer to CancelTask says it.
[[nodiscard]] std::vector<shown_cancel> read_cancels(const boost::json::object& task);
/// Ids of the questions that objectives and plans show as open.
[[nodiscard]] std::vector<std::string> read_pending_inputs(const boost::json::object& shown);

/// What an error says, as JSON-RPC writes it.
struct read_refusal {
  int code = 0;
  std::string reason; ///< "REVISION_MISMATCH".
  std::string by;     ///< Who came first, of a question.
};

[[nodiscard]] read_refusal read_error(const boost::json::value& error);

struct shown_event {
  stream_event event;
  std::string task;
  int error = 0; ///< The stream ends with it.
};

/// Of a response of a stream, in 1.0 or 0.3. Nothing for one that is none of a task.
[[nodiscard]] std::optional<shown_event> read_event(const boost::json::object& response);
/// Of an event of a stream, over JSON-RPC or REST.
[[nodiscard]] std::optional<shown_event> read_stream_event(std::string_view data);

struct shown_objective_event {
  objective_event event;
  int error = 0; ///< The stream ends with it.
};

/// Of an event of the stream of an objective, over JSON-RPC or REST. Nothing for another one.
[[nodiscard]] std::optional<shown_objective_event> read_objective_event(std::string_view data);

/// The member, if it is one.
[[nodiscard]] const boost::json::object* object_at(const boost::json::object& in,
                                                   std::string_view name);
[[nodiscard]] const boost::json::array* array_at(const boost::json::object& in,
                                                 std::string_view name);

/// A whole number; 0: it is not there.
[[nodiscard]] std::uint64_t count_at(const boost::json::object& in, std::string_view name);

/// Text of a member; empty: it is not there.
[[nodiscard]] std::string text_at(const boost::json::object& in, std::string_view name);

} // namespace troupe::sim
