#include "protocol/a2a/wire_writing.hpp"

#include "protocol/a2a/codec_progress.hpp"
#include "protocol/limits.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/hitl.hpp"

#include <algorithm>

namespace troupe::wire {

namespace {

enum class empty_artifacts : bool { left_out, shown };

void write_kind(json_writer& out, const dialect& as, std::string_view kind) {
  if (as.has_kinds)
    out.member("kind", kind);
}

void write_texts(json_writer& out, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty())
    return;
  out.key(name).begin_array();
  for (const auto& text : texts)
    out.string(text);
  out.end_array();
}

void write_parts(json_writer& out, const dialect& as, std::string_view name,
                 const std::vector<part>& parts) {
  out.key(name).begin_array();
  out.long_elements(parts.size(),
                    [&as, &parts](json_writer& to, std::size_t i) { as.write_part(to, parts[i]); });
  out.end_array();
}

void write_history(json_writer& out, const dialect& as, const task& value,
                   const std::optional<std::uint32_t>& length) {
  const auto& history = value.history;
  const auto shown = length ? std::min<std::size_t>(*length, history.size()) : history.size();
  if (length ? *length == 0 : shown == 0)
    return;
  out.key("history").begin_array();
  out.long_elements(
      shown, [&as, &value, first = history.size() - shown](json_writer& to, std::size_t i) {
        write_message(to, as, *value.history[first + i], value.context, value.id.str());
      });
  out.end_array();
}

/// What stands for progress where a task has no status message: the extension's canonical place is
/// one (task-progress v1 section 4).
message progress_message(const progress_report& report, std::string id) {
  message out;
  out.message_id = std::move(id);
  out.from = role::agent;
  const auto speaking =
      std::find_if(report.trackers.begin(), report.trackers.end(),
                   [](const progress_tracker& tracker) { return !tracker.message.empty(); });
  std::string words = "in progress";
  if (report.aggregate && !report.aggregate->message.empty())
    words = report.aggregate->message;
  else if (speaking != report.trackers.end())
    words = speaking->message;
  out.parts.push_back(text_part(std::move(words)));
  return out;
}

void write_task_metadata(json_writer& out, const task& value, const progress_report* progress,
                         const task_view_options& view) {
  const auto* objective = view.objective;
  const bool is_of_plan = value.origin || value.metadata.contains("opt/v1/planId");
  // Of a task that was read from the wire, the metadata has the times already.
  const bool has_times = (is_of_plan || view.include_opt) && value.ready_at != timestamp{}
                         && !value.metadata.contains("troupe/v1/readyAt");
  const bool has_usage = value.details && value.details->usage.calls > 0;
  if (!value.origin && value.metadata.empty() && !has_times && !has_usage && !progress
      && !objective)
    return;
  out.key("metadata").begin_object();
  if (value.origin)
    opt::write_task_metadata(out, value);
  for (const auto& member : value.metadata)
    out.escaped_key({member.key().data(), member.key().size()}).value(member.value());
  if (has_times)
    opt::write_task_times(out, value);
  if (has_usage) {
    out.key("troupe/v1/modelUsage");
    opt::write(out, value.details->usage);
  }
  if (progress) {
    out.key(progress_uri);
    write_progress(out, *progress);
  }
  if (objective) {
    out.key("opt/v1/objective");
    opt::write(out, *objective, true, true);
  }
  out.end_object();
}

/// The question that a change opens; null: it opens none.
const question* asked_in(const change& where) noexcept {
  for (const auto& each : where.events)
    if (const auto* opened = std::get_if<question_opened>(&each))
      return opened->asked.get();
  return nullptr;
}

void write_all_task_members(json_writer& out, const dialect& as, const task& value,
                            const task_view_options& view, empty_artifacts rule) {
  const auto* progress = view.include_progress ? value.progress.get() : nullptr;
  const bool asks = value.question && is_interrupted(value.status.state);
  const auto* asked = asks ? &value.question.get() : nullptr;
  const message_extras extras{progress, view.include_hitl ? asked : nullptr,
                              view.include_opt ? asked : nullptr};
  write_kind(out, as, "task");
  out.member("id", value.id.str()).optional_member("contextId", value.context).key("status");
  if (progress && !value.status.message) {
    auto status = value.status;
    status.message =
        std::make_shared<const message>(progress_message(*progress, value.id.str() + ".progress"));
    out.keep(status.message);
    write_status(out, as, status, value.context, value.id.str(), extras);
  } else {
    write_status(out, as, value.status, value.context, value.id.str(), extras);
  }
  if (view.include_artifacts && (!value.artifacts.empty() || rule == empty_artifacts::shown)) {
    out.key("artifacts").begin_array();
    out.long_elements(value.artifacts.size(), [&as, &value](json_writer& to, std::size_t i) {
      write_artifact(to, as, *value.artifacts[i]);
    });
    out.end_array();
  }
  write_history(out, as, value, view.history_length);
  write_task_metadata(out, value, progress, view);
}

} // namespace

std::string_view name_of(const state_names& names, task_state state) noexcept {
  const auto index = static_cast<std::size_t>(state);
  return names[index < names.size() ? index : 0];
}

void write_metadata(json_writer& out, const boost::json::object& metadata) {
  if (!metadata.empty())
    out.key("metadata").long_value(metadata);
}

void write_message(json_writer& out, const dialect& as, const message& value,
                   std::string_view context, std::string_view task, const message_extras& extras) {
  out.begin_object();
  write_kind(out, as, "message");
  out.member("messageId", value.message_id);
  out.optional_member("contextId",
                      value.context_id.empty() ? context : std::string_view{value.context_id});
  out.optional_member("taskId", value.task_id.empty() ? task : std::string_view{value.task_id});
  out.member("role", (*as.roles)[static_cast<std::size_t>(value.from)]);
  write_parts(out, as, as.message_parts, value.parts);
  if (extras.progress || extras.asked || extras.input) {
    out.key("metadata").begin_object();
    for (const auto& member : value.metadata)
      out.escaped_key({member.key().data(), member.key().size()}).value(member.value());
    auto extensions = value.extensions;
    if (extras.progress) {
      out.key(progress_uri);
      write_progress(out, *extras.progress);
      extensions.emplace_back(progress_uri);
    }
    if (extras.input) {
      out.key(opt::input_key);
      opt::write_asked(out, *extras.input, task_id{task});
    }
    if (extras.asked) {
      out.key(hitl::uri).value(
          hitl::request_of(*extras.asked, question_address{task_id{task}, extras.asked->id}.str()));
      extensions.emplace_back(hitl::uri);
    }
    out.end_object();
    write_texts(out, "extensions", extensions);
  } else {
    write_metadata(out, value.metadata);
    write_texts(out, "extensions", value.extensions);
  }
  if (as.has_references)
    write_texts(out, "referenceTaskIds", value.reference_task_ids);
  out.end_object();
}

void write_artifact(json_writer& out, const dialect& as, const artifact& value) {
  out.begin_object().member("artifactId", value.artifact_id);
  out.optional_member("name", value.name).optional_member("description", value.description);
  write_parts(out, as, "parts", value.parts);
  write_metadata(out, value.metadata);
  write_texts(out, "extensions", value.extensions);
  out.end_object();
}

void write_status(json_writer& out, const dialect& as, const task_status& value,
                  std::string_view context, std::string_view task, const message_extras& extras) {
  out.begin_object().member("state", name_of(*as.states, value.state));
  if (value.message) {
    out.key("message");
    write_message(out, as, *value.message, context, task, extras);
  }
  if (value.at != timestamp{}) // other servers may leave it out, in both versions
    out.key("timestamp").time(value.at);
  out.end_object();
}

void write_task_members(json_writer& out, const dialect& as, const task& value,
                        const task_view_options& view) {
  write_all_task_members(out, as, value, view, empty_artifacts::left_out);
}

void write_task(json_writer& out, const dialect& as, const task& value,
                const task_view_options& view) {
  out.begin_object();
  write_task_members(out, as, value, view);
  out.end_object();
}

void write_sent(json_writer& out, const dialect& as, const task& value,
                const task_view_options& view, const objective_view* beside) {
  out.begin_object().key("task");
  write_task(out, as, value, view);
  if (beside) {
    out.key("objective");
    opt::write(out, *beside, true, true);
  }
  out.end_object();
}

void write_answer(json_writer& out, const dialect& as, const message& value) {
  out.begin_object().key("message");
  write_message(out, as, value);
  out.end_object();
}

void write_push_config_list(json_writer& out, std::span<const push_config> configs,
                            std::string_view next_page_token,
                            void (*write_config)(json_writer& out, const push_config& value)) {
  out.begin_object().key("configs").begin_array();
  for (const auto& config : configs)
    write_config(out, config);
  out.end_array().member("nextPageToken", next_page_token).end_object();
}

void write_task_list(json_writer& out, const dialect& as, std::span<const task_ptr> tasks,
                     std::string_view next_page_token, std::uint32_t page_size,
                     std::uint64_t total_size, const task_view_options& view) {
  out.begin_object().key("tasks").begin_array();
  for (const auto& item : tasks) {
    auto shown = view;
    if (!shown.history_length && item->history.size() > list_history_default)
      shown.history_length = list_history_default;
    out.begin_object();
    write_all_task_members(out, as, *item, shown, empty_artifacts::shown);
    out.end_object();
  }
  out.end_array().member("nextPageToken", next_page_token);
  out.key("pageSize").number(page_size).key("totalSize").number(total_size).end_object();
}

bool write_stream_event(json_writer& out, const dialect& as, const change& where,
                        const event& happened, const stream_mark& mark) {
  const auto begin = [&](std::string_view kind, std::string_view member) {
    out.begin_object();
    if (as.has_kinds)
      out.member("kind", kind);
    else
      out.key(member).begin_object();
    out.member("taskId", where.task.id.str()).member("contextId", where.context);
  };
  const auto begin_status = [&](task_state state, const message_ptr& said,
                                const message_extras& extras = {}) {
    begin("status-update", "statusUpdate");
    out.key("status");
    write_status(out, as, {state, said, where.at}, where.context, where.task.id.str(), extras);
    if (as.has_final)
      out.key("final").boolean(mark.last);
  };
  const auto write_event_metadata = [&](const task_progress* progress) {
    if (progress == nullptr && mark.cursor.empty() && mark.member.empty())
      return;
    out.key("metadata").begin_object();
    if (progress != nullptr) {
      out.key(progress_uri);
      write_progress(out, *progress->progress);
    }
    if (!mark.member.empty())
      out.key(mark.member).raw(mark.value);
    out.optional_member(stream_cursor_key, mark.cursor).end_object();
  };
  if (const auto* moved = std::get_if<task_moved>(&happened)) {
    const auto* asked = is_interrupted(moved->to) ? asked_in(where) : nullptr;
    begin_status(moved->to, moved->message,
                 {nullptr, mark.hitl ? asked : nullptr, mark.opt ? asked : nullptr});
    write_event_metadata(nullptr);
  } else if (const auto* progress = std::get_if<task_progress>(&happened);
             progress && progress->progress) {
    const auto& report = *progress->progress;
    const auto said = std::make_shared<const message>(progress_message(
        report, where.task.id.str() + ".progress-" + std::to_string(where.sequence)));
    out.keep(said);
    begin_status(mark.state, said, {&report, nullptr});
    write_event_metadata(progress);
  } else if (const auto* said = std::get_if<task_message>(&happened);
             said && is_from_agent(*said)) {
    begin_status(said->state, said->message);
    write_event_metadata(nullptr);
  } else if (const auto* reminded = std::get_if<question_reminded>(&happened);
             reminded && reminded->message) {
    begin_status(reminded->state, reminded->message);
    write_event_metadata(nullptr);
  } else if (const auto* output = std::get_if<task_artifact>(&happened);
             output && output->artifact) {
    begin("artifact-update", "artifactUpdate");
    out.key("artifact");
    write_artifact(out, as, *output->artifact);
    if (output->append)
      out.key("append").boolean(true);
    if (output->last_chunk)
      out.key("lastChunk").boolean(true);
    write_event_metadata(nullptr);
  } else {
    return false;
  }
  if (!as.has_kinds)
    out.end_object();
  out.end_object();
  return true;
}

} // namespace troupe::wire
