// What a message must keep to before it becomes work: the tasks and artifacts it refers to, and
// media types. Decisions as plain functions, called by the gateway. The rules are in docs/a2a.md,
// "Tasks and messages".
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/task_life.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Finds a task that the sender of the message may see; null for any other, whether there is one or
/// not.
using find_task_fn = std::function<task_ptr(const task_id&)>;

/// The key in a part's metadata that pins an artifact of a referenced task, or of the message's
/// own.
inline constexpr const char* reference_artifact_key = "referenceArtifactId";

/// `referenceTaskIds` name at most `referenced_tasks_max` tasks, and every `referenceArtifactId` an
/// artifact of one of them. errc::invalid_params. A task that does not exist, or is another
/// client's, counts as not named.
[[nodiscard]] result<void> check_task_references(const message& message, const find_task_fn& find);

/// A copy of the message that keeps only its references. Null if it has none.
[[nodiscard]] message_ptr references_in(const message& message);

/// What has been made by a task; null for one that is not there.
using find_made_fn = std::function<const std::vector<artifact_ptr>*(const task_id&)>;

/// What an agent is given of the tasks that `messages` refer to, each once, in the order in which
/// they are named. A task that cannot be found any more is left out.
[[nodiscard]] std::vector<referenced_task>
gather_references(const std::vector<message_ptr>& messages, const find_made_fn& find);

/// errc::no_question: `task` (an id) has no open question that the message could answer.
[[nodiscard]] error no_question(std::string_view task);

/// Why the question of that id of `task` takes no answer any more: already_answered (by whom and
/// when), input_expired, input_withdrawn. Of one that the task does not know: no_question, or, if
/// the task has ended, unsupported_operation.
[[nodiscard]] error refusal_of_answer(const task_life& life, std::string_view task,
                                      std::string_view question);

/// errc::input_claimed: somebody else is about to answer the question of that address.
[[nodiscard]] error is_claimed(const std::string& question, const input_claim& by);

/// Whether the message that answers overrides the claim of somebody else.
[[nodiscard]] bool overrides_claim(const message& answer) noexcept;

/// Whether the default agent is to do all the work of the plan.
[[nodiscard]] bool is_for_default_agent(const plan_spec& plan, const agent_registry& agents);

/// The parts are of media types the agent takes, and it can make one of `accepted` (empty:
/// anything). errc::content_type_not_supported.
[[nodiscard]] result<void> check_media_types(const message& message,
                                             const std::vector<std::string>& accepted,
                                             const agent& who);

} // namespace troupe
