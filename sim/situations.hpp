// The situations that a number of seeds must meet: a rare one that is never met is as bad as no
// checker. What is noted under a name that is not here ends the run.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::sim {

struct history;
class trace;

inline constexpr auto situations = std::to_array<std::string_view>({
    // the process and its clock
    "a start has nothing to go on with",
    "a start goes on with lone tasks",
    "a start goes on with objectives",
    "a start repairs the end of the journal",
    "the power fails",
    "the process dies",
    "the process dies between two segments",
    "the process dies right after its start",
    "the process dies while a sync is under way",
    "the process dies while the disk has calls",
    "the time of day is set back",
    "the time of day is set forward",
    // the disk
    "a damaged journal is read without loss",
    "a damaged journal is refused",
    "a file cannot be made",
    "a sync fails",
    "a sync of names fails",
    "a sync takes longer than a client waits",
    "a write fails",
    "an old segment is removed",
    "the disk is full",
    "the journal begins another segment",
    // the network
    "a client asks while no server runs",
    "a client stops reading",
    "a connection breaks before an answer",
    "a connection breaks in a question",
    "a connection breaks in an answer",
    "a connection is refused",
    "a piece stalls",
    "an answer has no reader any more",
    "the server has closed a connection that was kept",
    "the server waits for a reader",
    // agents
    "a result comes after a cancel",
    "a result comes twice",
    "a task gets another attempt",
    "an agent asks",
    "an agent ends at once",
    "an agent gets an answer",
    "an agent is canceled",
    "an agent is silent",
    "an agent rejects a task",
    "an agent throws",
    // clients
    "a cancel is refused",
    "a client leaves a stream",
    "a client waits in vain",
    "a command that waits for the disk may still be done",
    "a list has another page",
    "a message that was sent again is taken",
    "a plan is refused",
    "a plan joins an objective",
    "a question is answered",
    "a read is refused because too many wait",
    "a request is refused because of limits.backlog-changes",
    "a request is refused because of limits.connections",
    "a request is refused because of limits.live-tasks",
    "a request is refused because of limits.requests-in-flight",
    "a request is refused because of limits.streams",
    "a request is refused for a while",
    "a request is sent again",
    "a request is sent again while changes wait for the disk",
    "a send is answered with a question",
    "a send is answered with an end",
    "a stream ends with an error",
    "a stream is refused",
    "a stream is resumed",
    "a stream is resumed while changes wait for the disk",
    "a task is read as 0.3 over JSON-RPC",
    "a task is read as 0.3 over REST",
    "a task is read as 1.0 over REST",
    "an answer to a question is refused",
    "an objective begins",
    "an objective is moved",
    "an objective that is made again is refused",
    "somebody else asks for a task",
    "somebody else has a task",
    // seen afterwards, in the history
    "a cancel meets the result of its task",
    "a dependent task never begins because another one failed",
    "a plan runs as many tasks as it may",
    "a question is answered twice",
    "a resumed stream has a gap",
    "a resumed stream shows the end of its task",
    "a stream goes on over a crash",
    "a stream shows chunks as one",
    "a task is canceled twice",
    "an answer is lost after its commit",
    "an attempt is repeated after a crash",
    "an objective limits its plans",
    "two messages for one question are under way at once",
});

[[nodiscard]] constexpr bool is_situation(std::string_view name) {
  return std::ranges::find(situations, name) != situations.end();
}

/// Those that are seen in what happened, and not while it happens.
void note_situations(const history& seen, trace& story);

} // namespace troupe::sim
