#include "protocol/record/command_text.hpp"

#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/record/record_json.hpp"

#include <string>

namespace troupe::record {

namespace {

/// What `write(json_writer&)` writes into an array. The kind comes first: commands of two kinds may
/// share a table.
template<class Write>
std::string command_array(std::string_view kind, Write write) {
  std::string text;
  json_writer out(text);
  out.begin_array().string(kind);
  write(out);
  out.end_array();
  return text;
}

void write_wanted_edits(json_writer& out, const edits& value) {
  out.string(value.name).string(value.description).value(value.metadata);
}

void write_wanted_revision(json_writer& out, const std::optional<std::uint64_t>& revision) {
  out.boolean(revision.has_value()).number(revision.value_or(0));
}

struct wanted_operation_writer {
  json_writer& out;

  void operator()(const add_task& added) const {
    write_task_spec(out, added.spec, {});
    out.string(added.as);
  }
  void operator()(const remove_task<std::string>& removed) const {
    out.string(removed.task).number(static_cast<std::uint64_t>(removed.dependents));
  }
  void operator()(const add_dependency<std::string>& added) const {
    out.string(added.task).string(added.on);
  }
  void operator()(const remove_dependency<std::string>& removed) const {
    out.string(removed.task).string(removed.on);
  }
  void operator()(const rename_task<std::string>& renamed) const {
    out.string(renamed.task).string(renamed.name);
  }
  void operator()(const set_deadline<std::string>& set) const {
    out.string(set.task).boolean(set.deadline.has_value());
    out.number(std::int64_t{set.deadline.value_or(timestamp{}).time_since_epoch().count()});
  }
  void operator()(const set_priority<std::string>& set) const {
    out.string(set.task).number(std::int64_t{set.priority});
  }
  void operator()(const put_task<std::string>& put) const {
    out.string(put.task);
    write_task_spec(out, put.spec, {});
  }
  void operator()(const skip_task<std::string>& skipped) const {
    out.string(skipped.task).boolean(skipped.cancel).boolean(skipped.skips_after);
  }
  void operator()(const complete_task<std::string>& completed) const {
    out.string(completed.task).boolean(completed.cancel);
    for (const auto& made : completed.artifacts)
      write(out, *made);
  }
  void operator()(const retry_task<std::string>& retried) const {
    out.string(retried.task).boolean(retried.dependents);
    if (retried.with)
      write_task_spec(out, patched({}, *retried.with), {});
  }
  void operator()(const edit_plan& edited) const {
    write_wanted_edits(out, edited.edited);
    out.number(edited.parallel_max.value_or(0)).boolean(edited.parallel_max.has_value());
    out.number(edited.failure ? static_cast<std::int64_t>(*edited.failure) : -1);
    write_urgency(edited);
  }
  void operator()(const edit_objective& edited) const {
    write_wanted_edits(out, edited.edited);
    write_urgency(edited);
    if (edited.parallel_max)
      out.string("maxParallel").number(*edited.parallel_max);
  }
  void operator()(const edit_plan_of<std::string>& edited) const {
    out.string(edited.plan);
    (*this)(edited.edit);
  }
  void operator()(const skip_plan<std::string>& skipped) const {
    out.string(skipped.plan).boolean(skipped.cancel);
  }
  void operator()(const new_plan& added) const {
    write(out, *added.spec);
    out.boolean(added.start).string(added.as);
  }
  void operator()(const remove_plan<std::string>& removed) const { out.string(removed.plan); }
  void operator()(const set_plan_dependencies<std::string>& set) const {
    out.string(set.plan);
    for (const auto& on : set.on)
      out.string(on);
  }
  /// What is absent adds nothing: a change without it keeps the fingerprint that it had before.
  template<class Edit>
  void write_urgency(const Edit& edited) const {
    if (edited.deadline) {
      out.string("deadline");
      if (edited.deadline->at)
        out.number(std::int64_t{edited.deadline->at->time_since_epoch().count()});
    }
    if (edited.priority)
      out.string("priority").number(std::int64_t{*edited.priority});
  }
  void operator()(const replace_task& next) const {
    out.string(next.task).boolean(next.keeps_dependencies);
    write_task_spec(out, next.spec, {});
  }
};

} // namespace

std::string command_text(const send_message& command) {
  return command_array("send", [&](json_writer& out) {
    v1_0::write(out, command.message);
    out.value(command.metadata).string(command.question);
    if (command.action != answer_action::accept || !command.by.empty())
      out.string(to_string(command.action)).string(command.by);
    for (const auto& mode : command.accepted_output_modes)
      out.string(mode);
  });
}

std::string command_text(const cancel_task& command) {
  return command_array(
      "cancel", [&](json_writer& out) { out.string(command.id.str()).value(command.metadata); });
}

std::string command_text(const create_objective& command) {
  return command_array("create objective", [&](json_writer& out) {
    write(out, command.spec);
    out.boolean(command.start);
    if (command.request)
      v1_0::write(out, *command.request);
    for (const auto& mode : command.accepted_output_modes)
      out.string(mode);
  });
}

std::string command_text(const update_objective& command) {
  return command_array("update objective", [&](json_writer& out) {
    out.string(command.id.str())
        .number(command.state ? static_cast<std::int64_t>(*command.state) : -1);
    write_wanted_edits(out, command.edited);
    write_wanted_revision(out, command.if_revision);
  });
}

std::string command_text(const create_plan& command) {
  return command_array("create plan", [&](json_writer& out) {
    out.string(command.objective.str());
    write(out, command.spec);
    out.boolean(command.start).boolean(command.starts_objective);
    write_wanted_revision(out, command.if_revision);
  });
}

std::string command_text(const update_plan& command) {
  return command_array("update plan", [&](json_writer& out) {
    out.string(command.id.str())
        .number(command.state ? static_cast<std::int64_t>(*command.state) : -1);
    write_wanted_edits(out, command.edited);
    write_wanted_revision(out, command.if_revision);
  });
}

namespace {

/// A change of the plan or objective that `id` names.
template<class Command>
std::string change_text(std::string_view kind, const Command& command) {
  return command_array(kind, [&](json_writer& out) {
    out.string(command.id.str()).string(command.reason);
    write_wanted_revision(out, command.if_revision);
    for (const auto& each : command.operations) {
      out.number(std::uint64_t{each.index()});
      std::visit(wanted_operation_writer{out}, each);
    }
  });
}

} // namespace

std::string command_text(const change_plan& command) {
  return change_text("change plan", command);
}

std::string command_text(const modify_objective& command) {
  return change_text("modify objective", command);
}

std::string command_text(const replan_objective& command) {
  return command_array("replan objective", [&](json_writer& out) {
    out.string(command.id.str()).string(command.text).string(command.reason);
    out.string(command.template_name).value(command.params);
    write_wanted_revision(out, command.if_revision);
  });
}

} // namespace troupe::record
