// Questions as `inputs/*` show them.
#include "protocol/json/schema_choices.hpp"
#include "protocol/opt/codec_opt.hpp"
#include <troupe/protocol/time.hpp>

#include <algorithm>

namespace troupe::opt {

namespace {

std::string_view shown_kind(const question& asked) noexcept {
  if (asked.kind == question_kind::auth)
    return "auth";
  const auto* said = asked.data.if_contains("kind");
  if (said != nullptr && said->is_string() && said->get_string() == "approval")
    return "approval";
  if (asked.form.empty())
    return "question";
  const auto* items = items_in(asked.form);
  return choices_in(items ? *items : asked.form).empty() ? "form" : "choice";
}

/// The choices in their order, and whether several of them make the answer.
void write_choices(json_writer& out, const boost::json::object& form) {
  const auto* items = items_in(form);
  const auto choices = choices_in(items ? *items : form);
  if (choices.empty())
    return;
  out.key("choices").begin_array();
  for (const auto& each : choices) {
    out.begin_object().key("value").value(*each.value);
    out.optional_member("title", each.title).end_object();
  }
  out.end_array().key("multiple").boolean(items != nullptr);
}

/// What the agent has said with the question.
void write_said(json_writer& out, const question& asked) {
  out.key("attempt").number(asked.attempt);
  out.member("kind", shown_kind(asked)).member("prompt", asked.prompt);
  write_choices(out, asked.form);
  if (!asked.form.empty())
    out.key("schema").value(asked.form);
  const auto* usual = asked.form.if_contains("default");
  if (usual != nullptr)
    out.key("default").value(*usual);
  if (!asked.data.empty())
    out.key("data").value(asked.data);
  out.member("since", to_rfc3339(asked.opened));
  if (asked.deadline) {
    const bool has_answer = usual != nullptr && asked.kind != question_kind::auth;
    out.member("deadline", to_rfc3339(*asked.deadline));
    out.member("onDeadline", has_answer ? "default" : "fail");
  }
  if (asked.remind_after.count() > 0)
    out.key("remindAfter").number(static_cast<double>(asked.remind_after.count()) / 1000);
}

/// The answer's text, or its data. Nothing if the message is no longer in the history.
void write_value(json_writer& out, const task& owner, const std::string& message_id) {
  const auto said = std::ranges::find_if(owner.history, [&](const message_ptr& each) {
    return each->from == role::user && each->message_id == message_id;
  });
  if (message_id.empty() || said == owner.history.end())
    return;
  for (const auto& part : (*said)->parts)
    if (const auto* content = std::get_if<data_content>(&part.content)) {
      out.key("value").value(content->data);
      return;
    }
  out.member("value", text_of((*said)->parts));
}

void write_given(json_writer& out, const task& owner, const closed_question& closed) {
  out.key("answer").begin_object().member("action", to_string(closed.action));
  if (closed.action == answer_action::accept)
    write_value(out, owner, closed.message);
  out.optional_member("by", closed.by).member("at", to_rfc3339(closed.at));
  out.optional_member("messageId", closed.message).end_object();
}

} // namespace

void write_asked(json_writer& out, const question& asked, const task_id& of) {
  out.begin_object().member("id", question_address{of, asked.id}.str()).member("taskId", of.str());
  write_said(out, asked);
  out.end_object();
}

void write_input(json_writer& out, const task& owner, std::string_view question,
                 const std::optional<input_claim>& claim) {
  out.begin_object();
  const auto* closed = find_closed(owner, question);
  const bool is_open = owner.question && owner.question->id == question;
  if (!is_open && closed == nullptr) {
    out.end_object();
    return;
  }
  const auto& asked = is_open ? owner.question.get() : closed->asked;
  out.member("id", question_address{owner.id, asked.id}.str());
  out.member("taskId", owner.id.str());
  if (owner.origin) {
    out.member("planId", owner.origin.plan->id.str());
    out.member("objectiveId", owner.context);
  } else {
    out.member("contextId", owner.context);
  }
  write_said(out, asked);
  if (asked.reminders > 0)
    out.key("reminders").number(asked.reminders);
  out.member("state", to_string(is_open ? question_state::open : closed->state));
  if (is_open && claim) {
    out.key("claim").begin_object().member("by", claim->by);
    out.member("until", to_rfc3339(claim->until)).end_object();
  }
  if (!is_open) {
    out.member("endedAt", to_rfc3339(closed->at));
    if (closed->state == question_state::answered)
      write_given(out, owner, *closed);
    out.optional_member("reason", closed->reason);
  }
  out.end_object();
}

} // namespace troupe::opt
