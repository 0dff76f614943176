#include "apps/run/json_events.hpp"

#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/json/json_writer.hpp"

#include <string_view>

namespace troupe {

namespace {

double seconds(std::chrono::milliseconds span) {
  return static_cast<double>(span.count()) / 1000.0;
}

/// Writes the members of one event, the braces and the common members being there already.
class event_writer {
public:
  event_writer(json_writer& out, const change& where, const run_model& model)
      : out_(out), where_(where), model_(model) {}

  void operator()(const objective_created& created) {
    head("objective_created");
    out_.member("name", created.spec->name);
    out_.key("plans").number(std::uint64_t{created.spec->plans.size()});
    std::uint64_t tasks = 0;
    for (const auto& plan : created.spec->plans)
      tasks += plan->tasks.size();
    out_.key("tasks").number(tasks);
  }

  void operator()(const objective_edited& edited) {
    head("objective_edited");
    out_.optional_member("name", edited.edited.name)
        .optional_member("description", edited.edited.description);
  }

  void operator()(const plan_edited& edited) {
    head("plan_edited");
    plan(edited.plan);
    out_.optional_member("name", edited.edited.name)
        .optional_member("description", edited.edited.description);
  }

  void operator()(const objective_moved& moved) {
    head("objective_moved");
    out_.member("state", to_string(moved.to())).optional_member("reason", moved.reason);
  }

  void operator()(const plan_added& added) {
    head("plan_added");
    out_.member("name", added.spec->name);
    out_.key("tasks").number(std::uint64_t{added.spec->tasks.size()});
  }

  void operator()(const plan_moved& moved) {
    head("plan_moved");
    plan(moved.plan);
    out_.member("state", to_string(moved.to())).optional_member("reason", moved.reason);
  }

  void operator()(const plan_changed& changed) {
    head("plan_changed");
    plan(changed.plan);
    out_.key("operations").number(std::uint64_t{changed.operations.size()});
    out_.optional_member("author", changed.author).optional_member("reason", changed.reason);
    out_.key("revision").number(changed.revision);
  }

  void operator()(const objective_changed& changed) {
    head("objective_changed");
    out_.key("operations").number(std::uint64_t{changed.operations.size()});
    out_.optional_member("author", changed.author).optional_member("reason", changed.reason);
    out_.key("revision").number(changed.revision);
  }

  void operator()(const tasks_withdrawn& withdrawn) {
    head("tasks_withdrawn");
    plan(withdrawn.plan);
    indexes(withdrawn.tasks);
    out_.member("state", to_string(withdrawn.to)).optional_member("reason", withdrawn.reason);
  }

  void operator()(const tasks_renewed& renewed) {
    head("tasks_renewed");
    plan(renewed.plan);
    indexes(renewed.tasks);
  }

  void operator()(const pause_changed& changed) {
    head("pause_changed");
    if (changed.plan)
      plan(*changed.plan);
    out_.key("paused").boolean(changed.paused);
  }

  void operator()(const objective_closing& closing) {
    head("objective_closing");
    out_.member("state", to_string(closing.to)).optional_member("reason", closing.reason);
  }

  void operator()(const task_created&) {
    head("task_created");
    task();
  }

  void operator()(const task_moved& moved) {
    head("task_moved");
    task();
    out_.member("state", to_string(moved.to)).key("attempt").number(moved.attempt);
    if (moved.message)
      out_.optional_member("message", text_of(moved.message->parts));
  }

  void operator()(const task_message& message) {
    head("task_message");
    task();
    out_.key("message");
    v1_0::write(out_, *message.message);
  }

  void operator()(const task_artifact& artifact) {
    head("task_artifact");
    task();
    out_.key("append").boolean(artifact.append).key("lastChunk").boolean(artifact.last_chunk);
    out_.key("artifact");
    v1_0::write(out_, *artifact.artifact);
  }

  void operator()(const task_progress& progress) {
    head("task_progress");
    task();
    out_.key("trackers").begin_array();
    for (const auto& each : progress.progress->trackers) {
      out_.begin_object().member("id", each.id);
      amounts(each.progress, each.total);
      out_.optional_member("message", each.message);
      if (each.status)
        out_.member("status", to_string(*each.status));
      out_.end_object();
    }
    out_.end_array();
    if (const auto& whole = progress.progress->aggregate) {
      out_.key("aggregate").begin_object();
      amounts(whole->progress, whole->total);
      out_.optional_member("message", whole->message).end_object();
    }
  }

private:
  void head(std::string_view name) {
    out_.member("event", name)
        .member("at", to_rfc3339(where_.at))
        .member("objective", where_.context);
  }

  void plan(std::uint32_t index) {
    out_.key("plan").begin_object().key("index").number(index);
    if (index < model_.plans().size()) {
      const auto& spec = *model_.plans()[index].spec;
      out_.optional_member("key", spec.key).optional_member("name", spec.name);
    }
    out_.end_object();
  }

  void task() {
    const auto& where = where_.task;
    if (where.lone) {
      out_.key("task").begin_object().member("id", where.id.str()).end_object();
      return;
    }
    plan(where.plan_index);
    out_.key("task")
        .begin_object()
        .member("id", where.id.str())
        .key("index")
        .number(where.task_index);
    if (where.plan_index < model_.plans().size()
        && where.task_index < model_.plans()[where.plan_index].spec->tasks.size()) {
      const auto& spec = model_.plans()[where.plan_index].spec->tasks[where.task_index];
      out_.optional_member("key", spec.key).optional_member("name", spec.name);
    }
    out_.end_object();
  }

  void indexes(const std::vector<std::uint32_t>& tasks) {
    out_.key("tasks").begin_array();
    for (const auto each : tasks)
      out_.number(each);
    out_.end_array();
  }

  void amounts(const std::optional<double>& progress, const std::optional<double>& total) {
    if (progress)
      out_.key("progress").number(*progress);
    if (total)
      out_.key("total").number(*total);
  }

  json_writer& out_;
  const change& where_;
  const run_model& model_;
};

} // namespace

void append_json_events(std::string& out, const change& change, const run_model& model) {
  for (const auto& each : change.events)
    std::visit(
        [&](const auto& kind) {
          // The others need no line: the moves and messages beside them say what a reader needs to
          // know.
          if constexpr (requires(event_writer & any) { any(kind); }) {
            json_writer writer(out);
            writer.begin_object();
            event_writer(writer, change, model)(kind);
            writer.end_object();
            out += '\n';
          }
        },
        each);
}

void append_json_summary(std::string& out, const run_model& model, timestamp now,
                         std::chrono::milliseconds critical_path) {
  const auto& counts = model.counts();
  json_writer writer(out);
  writer.begin_object()
      .member("objective", model.id().str())
      .member("status", to_string(model.state()));
  writer.key("tasks").begin_object().key("completed").number(std::uint64_t{counts.completed});
  const auto add = [&](std::string_view name, std::size_t n) {
    if (n > 0)
      writer.key(name).number(std::uint64_t{n});
  };
  add("failed", counts.failed);
  add("canceled", counts.canceled);
  add("working", counts.working);
  add("inputRequired", counts.waiting);
  add("pending", counts.pending);
  add("skipped", counts.skipped);
  writer.end_object();
  writer.key("elapsedSeconds").number(seconds(model.elapsed(now)));
  writer.key("criticalPathSeconds").number(seconds(critical_path));
  writer.key("maxParallel").number(std::uint64_t{model.parallel_seen_max()});
  writer.key("attempts").number(model.attempts());
  writer.end_object();
  out += '\n';
}

} // namespace troupe
