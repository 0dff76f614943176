// What clients and agents of a world saw and did, in its order: all that the checkers know. Plain
// values, made by hand in the checkers' tests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::sim {

/// The place of a happening among all of a world; counts from 1. 0: it has not happened.
using moment = std::uint64_t;

/// A task as a client was shown it.
struct task_view {
  std::string id;
  std::string state; ///< As on the wire: "TASK_STATE_WORKING".
  std::string since; ///< The time of its status.
  /// Text by artifact id; absent in answers that do not show artifacts.
  std::optional<std::map<std::string, std::string>> artifacts;
  std::vector<std::string> messages; ///< Ids of the user's messages in the history.
};

enum class call_kind : std::uint8_t {
  send,
  answer,
  get,
  list,
  cancel,
  create,
  add_plan,
  move,
  read
};

/// A request and how it ended.
struct call {
  std::string client;
  call_kind kind = call_kind::get;
  std::string message_id; ///< Of send and answer.
  std::string task;       ///< That the request names; empty: none.
  std::string objective;  ///< That the request changes or reads; empty: none.
  moment began = 0;       ///< When its first attempt was sent.
  moment ended = 0;       ///< When the answer was complete; 0: there was none.
  int error = 0;          ///< Code of the error in the answer; 0: it succeeded.
  int tries = 0;          ///< How often it was sent.
  std::vector<task_view> tasks;
};

enum class event_kind : std::uint8_t { snapshot, status, artifact };

/// One event of a stream; or of the journal, which has no snapshots.
struct stream_event {
  event_kind kind = event_kind::status;
  moment at = 0;
  std::string cursor; ///< "17.0"; empty: it has none.
  task_view task;     ///< Of a status: id, state and since alone.
  std::string artifact;
  std::string text;
  bool append = false;
  bool has_gap = false;
};

/// A stream as one client read it.
struct stream_read {
  std::string client;
  std::string task;  ///< Empty: of a send that has not seen its task.
  std::string after; ///< The cursor from which it went on; empty: it began with a snapshot.
  std::vector<stream_event> events;
  bool is_complete = false; ///< The server ended it, with its last chunk.
};

/// One attempt of an agent.
struct attempt {
  std::string task;
  std::string name; ///< Of the task; of a lone one, the id of its message.
  std::uint32_t number = 0;
  moment began = 0;
  moment ended = 0;     ///< Its agent_run was destroyed, or it ended at once; 0: not yet.
  moment completed = 0; ///< The agent reported that it is done.
  /// What the agent reported as its end: "completed", "failed", "failed for good", "rejected";
  /// "thrown": it threw; empty: nothing.
  std::string report;
  moment reported = 0;
  bool is_lone = false;
  std::vector<stream_event> made; ///< The artifacts that it reported, in its order.
};

/// In every text of one who owns nothing of the clients.
inline constexpr auto stranger_mark = "stranger.";

/// What a client asked for as one objective.
struct ordered_task {
  std::string name;
  std::vector<std::string> dependencies; ///< Names.
};

struct ordered_plan {
  std::string name;
  std::uint32_t parallel_max = 0; ///< 0: no limit.
  std::vector<ordered_task> tasks;
};

struct ordered_objective {
  std::string id;
  std::uint32_t parallel_max = 0;
  std::vector<ordered_plan> plans;
};

/// A task as it was read once more at the end, in another way.
struct reading {
  std::string how; ///< "1.0 over REST".
  task_view shown;
};

/// What a start of the server found.
struct recovery {
  std::string found;      ///< All that goes on, as text.
  bool is_second = false; ///< The process had died right after the start before.
};

/// Somebody who owns nothing of the clients asked past the wire.
struct strange_read {
  std::string asked; ///< "get", "cancel", "list".
  std::string of;    ///< The id; empty: of a list.
  std::string got;   ///< Text of what belongs to others and was shown; empty: nothing was.
};

struct history {
  std::vector<call> calls;
  std::vector<stream_read> streams;
  std::vector<attempt> attempts;
  std::vector<ordered_objective> objectives;
  std::vector<moment> crashes;
  std::vector<std::string> operations; ///< Of clients, by name, in their order: "c0.1".
  std::set<std::string> sent;          ///< Ids of all messages that were ever sent.
  std::set<std::string> chunks;        ///< All texts that an agent ever reported.
  /// At the end of the world, when everything is at rest: what the server says of each task that a
  /// client was shown, and all changes of each task. Absent: the world ended early.
  std::optional<std::map<std::string, task_view>> rest;
  std::map<std::string, std::vector<stream_event>> journal;
  std::string left_over; ///< What the server still counts as under way then; empty: nothing.
  /// Whether a message that is sent again leads to the same task.
  bool deduplicates = false;
  /// When faults and requests had ended for a while, and before anything was canceled: every task
  /// that was listed.
  std::map<std::string, task_view> waiting;
  moment waiting_at = 0;
  std::vector<reading> readings;
  std::map<std::string, std::size_t> listed; ///< How often each task stood in the last list.
  /// The tasks of a list after one more start, by what was done to the server before.
  std::map<std::string, std::map<std::string, task_view>> restarts;
  std::vector<recovery> recoveries;
  std::vector<strange_read> strange_reads;
  std::vector<std::string> leaks; ///< What clients were shown of others' objects.
  std::string over_limit;         ///< The first counter that was above its limit; empty: none was.
};

[[nodiscard]] inline bool is_terminal(const std::string& state) {
  return state == "TASK_STATE_COMPLETED" || state == "TASK_STATE_FAILED"
         || state == "TASK_STATE_CANCELED" || state == "TASK_STATE_REJECTED";
}

} // namespace troupe::sim
