// What clients and agents of a world saw and did, in its order: all that the checkers know. Plain
// values, made by hand in the checkers' tests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
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
  std::string question;              ///< Id of the question that it asks; empty: it asks none.
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
  read,
  change,          ///< Of a plan or an objective, by operations.
  answer_input,    ///< A question, by its id.
  answer_together, ///< Several questions, by one message.
  claim,
  release,
  create_push_config,
  delete_push_config
};

/// A change of a plan or an objective that a client asks for.
struct asked_change {
  std::string target; ///< Id of the plan or the objective.
  bool is_of_plan = false;
  std::string reason;     ///< Stands in the history. Requests with the same are the same request.
  std::string request_id; ///< Empty: none.
  std::optional<std::uint64_t> if_revision;
  bool is_dry_run = false;
  std::vector<std::string> operations;                      ///< "addTask".
  std::vector<std::pair<std::string, std::string>> waiting; ///< Task and dependency that it adds.
  std::set<std::string> names;                              ///< Tasks and plans that it names.
  std::vector<std::string> added_plans{};                   ///< Names.
  bool skips_others = false;             ///< What depends on a skipped task, too.
  bool limits_plan = false;              ///< It sets `maxParallel`.
  std::optional<std::uint64_t> revision; ///< In the answer.
};

/// What a client says about a question, and what it is told.
struct asked_input {
  std::string question; ///< Its id.
  std::string by;
  std::string value;
  std::string request_id; ///< Empty: none.
  bool overrides = false;
  bool declines = false;
  std::string shown_state; ///< "answered"; of the question in the answer.
  std::string shown_value; ///< Of the answer that the question has.
  std::string shown_by;    ///< Who gave it; in an error too.
  std::string claimed_by;
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
  std::string refusal;    ///< Reason of the error: "REVISION_MISMATCH".
  std::vector<task_view> tasks;
  std::optional<asked_change> change;
  std::optional<asked_input> input;
  std::vector<std::string> questions; ///< That one message answers together.
  std::string plan{};                 ///< Name of one that the request adds or moves.
  std::string to{};                   ///< The state of a move, as in an objective.
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
  bool asks = false;    ///< It only asked; nothing runs until the answer.
  bool goes_on = false; ///< The same attempt as before, after such a question.
  bool is_lone = false;
  std::vector<stream_event> made; ///< The artifacts that it reported, in its order.
  std::string delegated{};        ///< What a remote agent was asked to do; empty: none was.
  std::string cancel{};           ///< How it said that its cancel ended: "acknowledged".
  moment canceled = 0;            ///< When it said so.
};

/// In every text of one who owns nothing of the clients.
inline constexpr auto stranger_mark = "stranger.";

/// What a client asked for as one objective.
struct ordered_task {
  std::string name;
  std::vector<std::string> dependencies; ///< Names.
  std::string deadline{};                ///< As on the wire; empty: none.
  unsigned expected_seconds = 0;         ///< 0: not known.
  std::string target{};                  ///< The remote agent that does it; empty: none.
  std::string when_unsure{};             ///< Of a delegation: "resend".
};

struct ordered_plan {
  std::string name;
  std::uint32_t parallel_max = 0; ///< 0: no limit.
  std::vector<ordered_task> tasks;
  std::string deadline{};
  std::vector<std::string> alternatives{}; ///< Names of plans, which are tried if this one fails.
  bool is_first = false;                   ///< It came with its objective.
};

struct ordered_objective {
  std::string id;
  std::uint32_t parallel_max = 0;
  std::vector<ordered_plan> plans;
  std::string deadline{};
};

// -- objectives as they are shown -----------------------------------------------------------------

struct shown_task {
  std::string id;
  std::string name;
  std::string state; ///< As in an objective: "pending".
  double expected_seconds = 0;
};

struct shown_progress {
  double fraction = 0;
  double done = 0;
  double total = 0;
};

struct shown_plan {
  std::string id;
  std::string name;
  std::string state;
  std::uint64_t revision = 0;
  shown_progress progress;
  std::vector<shown_task> tasks;
};

struct shown_objective {
  std::string id;
  std::string name;
  std::string state;
  std::uint64_t revision = 0;
  shown_progress progress;
  std::vector<shown_plan> plans;
};

/// How far an objective or a plan was when a client read it.
struct progress_sighting {
  std::string of;
  std::string client;
  std::string state;
  std::uint64_t revision = 0;           ///< Of `of`.
  std::uint64_t objective_revision = 0; ///< 0 too if it was not shown.
  double fraction = 0;
  moment began = 0;
  moment ended = 0;
};

/// A state in an event of the stream of an objective.
struct shown_move {
  std::string plan{};                  ///< Its id; empty: the objective moves.
  std::optional<std::uint32_t> task{}; ///< Its place in the plan; nothing: the plan moves.
  std::string state;                   ///< "working".
};

/// One event of the stream of an objective.
struct objective_event {
  std::string cursor; ///< "9-0": the sequence of the change, and the revision after it.
  std::uint64_t revision = 0;
  std::optional<double> fraction{};       ///< How much of the objective is done.
  std::optional<shown_objective> whole{}; ///< The objective as it is; then there are no moves.
  bool has_gap = false;
  std::vector<shown_move> moves{};
};

/// The stream of an objective as one client read it.
struct objective_stream {
  std::string client;
  std::string objective;
  std::string after; ///< The cursor from which it went on; empty: it began with the objective.
  bool shows_tasks = true;
  bool is_folded = false; ///< At most so many events a second, each with the latest.
  std::vector<objective_event> events{};
  bool is_complete = false; ///< The server ended it, with its last chunk.
};

/// One revision of a plan or an objective, as its history shows it.
struct shown_revision {
  std::uint64_t revision = 0;
  std::string reason;
  std::vector<std::string> operations;
};

// -- objectives and questions in the journal ------------------------------------------------------

enum class fact_kind : std::uint8_t {
  plan_added,
  plan_after,   ///< `plan` waits for these plans (`others`) and no others.
  plan_moved,   ///< `text`: its state.
  task_added,   ///< `text`: its name.
  edge_added,   ///< `task` waits for `on`, of the same plan.
  edge_removed, ///< It does not any more.
  task_begun,   ///< An attempt begins.
  task_asks,    ///< Or waits for something else.
  task_ended,   ///< `text`: its state.
  task_reached, ///< `on`: millionths of it are done.
  task_renamed, ///< `text`: its name.
  task_renewed, ///< Another task stands in its place.
  task_skipped,
  task_removed,
  moved,     ///< The objective; `text`: its state.
  plan_told, ///< It is to pause, to go on or to end; `text`: the state that was asked for.
  told,      ///< The same of the objective.
};

/// What happened to an objective. Times are milliseconds of the time of day.
struct objective_fact {
  fact_kind kind = fact_kind::moved;
  std::int64_t at = 0;
  std::uint32_t plan = 0;
  std::uint32_t task = 0;
  std::uint32_t on = 0;
  std::string text{};
  std::string reason{};
  std::vector<std::uint32_t> others{};
  std::string id{};         ///< Of a plan that is added.
  std::uint64_t change = 0; ///< Sequence of the change that it is a part of.
};

enum class question_turn : std::uint8_t { opened, claimed, released, answered, expired, withdrawn };

/// What happened to a question.
struct question_fact {
  question_turn kind = question_turn::opened;
  std::int64_t at = 0;
  std::string by{};
  std::int64_t until = 0; ///< Of a claim.
  std::string message{};  ///< Id, of an answer.
  bool declines = false;  ///< An answer that gives none.
};

/// A configuration of notifications that a client asks for; its token is the name of the operation.
struct asked_push_config {
  std::string receiver;
  std::string task;           ///< Empty: it is not known yet, of a message that begins one.
  bool begins_task = false;   ///< It came with the message.
  bool is_taken = false;      ///< It was acknowledged.
  bool is_sent_again = false; ///< The later one takes the place of the first, from then on.
  bool is_dropped = false;    ///< A client has asked to delete it.
  bool has_stopped = false;   ///< At the end the server says that it gave it up.
  bool is_under_way = false;  ///< At the end the server still has something to send.
};

/// What a receiver was sent.
struct notification {
  std::string receiver;
  std::string token;
  std::string id; ///< "task/configuration/17.0".
  bool is_0_3 = false;
  stream_event shows;   ///< A snapshot if it is of 0.3.
  std::size_t body = 0; ///< A hash of the body.
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

/// A task as it is at a remote agent.
struct remote_record {
  std::string agent;
  std::string id;
  std::string context;
  std::string message; ///< Id of the request.
  std::string text;    ///< What it is to do.
  moment made = 0;
  bool may_come_twice = false; ///< The plan says so.
  /// From when on it was in which state; "forgotten": it is no more.
  std::vector<std::pair<moment, std::string>> states;
};

/// A remote agent was asked for the tasks of a context, and had none.
struct remote_search {
  std::string context;
  moment at = 0;
};

/// What a client was told about the cancel of a delegated task.
struct shown_cancel {
  std::string task;
  std::string outcome;
};

/// A question of an agent that ended without an answer.
struct unanswered {
  std::string task;
  moment at = 0;
};

/// A time of day between two processes, in milliseconds.
struct downtime {
  std::int64_t from = 0;
  std::int64_t to = 0;
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
  std::set<std::string> names;         ///< That clients ever gave to objectives, plans and tasks.
  /// Names of objectives, plans and tasks that were shown, and to whom first.
  std::map<std::string, std::string> shown_names;
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
  /// A while before: what remote tasks did up to here was heard of by then.
  moment heard_until = 0;
  std::vector<reading> readings;
  std::map<std::string, std::size_t> listed; ///< How often each task stood in the last list.
  /// The tasks of a list after one more start, by what was done to the server before.
  std::map<std::string, std::map<std::string, task_view>> restarts;
  std::vector<recovery> recoveries;
  std::vector<strange_read> strange_reads;
  std::map<std::string, asked_push_config> push_configs; ///< By token.
  std::vector<notification> notifications;               ///< In the order in which they came.
  /// What clients, receivers of notifications and remote agents were shown of others' objects.
  std::vector<std::string> leaks;
  std::string over_limit; ///< The first counter that was above its limit; empty: none was.

  std::vector<progress_sighting> progress;
  std::vector<objective_stream> objective_streams;
  /// By objective, and by question.
  std::map<std::string, std::vector<objective_fact>> facts;
  std::map<std::string, std::vector<question_fact>> questions;
  /// By objective: all deadlines that clients asked for, for anything of it.
  std::map<std::string, std::set<std::string>> deadlines;
  std::vector<unanswered> expiries;
  std::vector<remote_record> remote_tasks;
  std::vector<remote_search> remote_searches;
  std::vector<shown_cancel> shown_cancels;
  std::vector<downtime> downtimes;
  bool has_clock_jumps = false; ///< The time of day was set.
  /// Objectives when faults had ended for a while (without tasks), and at the end.
  std::vector<shown_objective> stood;
  std::int64_t stood_at = 0; ///< Time of day in milliseconds.
  std::vector<shown_objective> ends;
  /// Of plans and objectives, the newest revision first; of a store that keeps them.
  std::map<std::string, std::vector<shown_revision>> revisions;
};

[[nodiscard]] inline bool is_terminal(const std::string& state) {
  return state == "TASK_STATE_COMPLETED" || state == "TASK_STATE_FAILED"
         || state == "TASK_STATE_CANCELED" || state == "TASK_STATE_REJECTED";
}

} // namespace troupe::sim
