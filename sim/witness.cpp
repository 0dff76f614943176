#include "sim/witness.hpp"

#include <boost/json/parse.hpp>

#include <array>
#include <utility>

#include "sim/views.hpp"

namespace troupe::sim {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

/// Backoffs, graces and slow steps of agents are over by then, and settled objectives have left the
/// memory (settings::settled_linger).
constexpr auto rest_takes = 65s;

} // namespace

witness::witness(world& in) : in_(in), caller_(in, "witness") {}

void witness::begin(std::function<void()> done) {
  done_ = std::move(done);
  in_.seen.waiting_at = in_.next_moment();
  in_.seen.stood_at = in_.clock.now().time_since_epoch().count();
  list_objectives("", [this] {
    list_tasks(
        "",
        [this](const task_view& shown) {
          tasks_.insert(shown.id);
          in_.seen.waiting[shown.id] = shown;
        },
        [this] { cancel_all(); });
  });
}

void witness::ask(std::string method, std::string params, answered then) {
  caller::question asked;
  asked.method = method;
  asked.params = params;
  asked.patience = 60s;
  caller_.on_end = [this, method = std::move(method), params = std::move(params),
                    then = std::move(then)](caller::end how) mutable {
    note_leaks(caller_.body(), caller_.name(), in_.seen);
    if (how == caller::end::answered && caller_.answer().status() == 200) {
      const auto whole = json::parse(caller_.body());
      const auto* result = whole.as_object().if_contains("result");
      return then(result != nullptr ? result->as_object() : json::object{});
    }
    in_.after(100ms, [this, method = std::move(method), params = std::move(params),
                      then = std::move(then)]() mutable {
      ask(std::move(method), std::move(params), std::move(then));
    });
  };
  caller_.ask(asked);
}

void witness::get(const std::string& task, binding how,
                  std::function<void(std::optional<task_view>)> then) {
  caller::question asked;
  asked.method = "GetTask";
  asked.params = R"({"id":")" + task + "\"}";
  asked.patience = 60s;
  asked.how = how;
  asked.task = task;
  caller_.on_end = [this, task, how, then = std::move(then)](caller::end end) mutable {
    note_leaks(caller_.body(), caller_.name(), in_.seen);
    if (end == caller::end::answered && caller_.answer().status() < 429)
      return then(read_answer(how, caller_.body()));
    in_.after(100ms, [this, task, how, then = std::move(then)]() mutable {
      get(task, how, std::move(then));
    });
  };
  caller_.ask(asked);
}

void witness::for_each_left(std::function<void(const std::string&, std::function<void()>)> step,
                            std::function<void()> then) {
  auto next = std::make_shared<std::function<void(std::size_t)>>();
  *next = [this, step = std::move(step), then = std::move(then),
           weak = std::weak_ptr(next)](std::size_t number) {
    if (number == left_.size())
      return then();
    step(left_[number], [self = weak.lock(), number] { (*self)(number + 1); });
  };
  (*next)(0);
}

void witness::list_objectives(const std::string& token, std::function<void()> then) {
  ask("objectives/list",
      R"({"pageSize":100)" + (token.empty() ? std::string{} : R"(,"pageToken":")" + token + '"')
          + "}",
      [this, then = std::move(then)](const json::object& result) {
        if (const auto* page = result.if_contains("objectives"))
          for (const auto& each : page->as_array()) {
            in_.seen.stood.push_back(read_objective(each.as_object()));
            note_names(in_.seen.stood.back(), caller_.name(), in_.seen);
            objectives_.insert(in_.seen.stood.back().id);
          }
        const auto next = text_at(result, "nextPageToken");
        next.empty() ? then() : list_objectives(next, then);
      });
}

void witness::list_tasks(const std::string& token, on_task each, std::function<void()> then) {
  ask("ListTasks",
      R"({"pageSize":100,"includeArtifacts":true,"historyLength":100)"
          + (token.empty() ? std::string{} : R"(,"pageToken":")" + token + '"') + "}",
      [this, each = std::move(each), then = std::move(then)](const json::object& result) {
        if (const auto* page = result.if_contains("tasks"))
          for (const auto& one : page->as_array())
            each(read_task(one.as_object()));
        const auto next = text_at(result, "nextPageToken");
        next.empty() ? then() : list_tasks(next, each, then);
      });
}

void witness::cancel_all() {
  // One after the other. What has ended stays so; what ends meanwhile refuses, which is as good.
  left_.clear();
  for (const auto& each : in_.seen.stood)
    if (each.state != "completed" && each.state != "failed" && each.state != "canceled")
      left_.push_back(each.id);
  for (const auto& [id, shown] : in_.seen.waiting)
    if (!is_terminal(shown.state))
      left_.push_back(id);
  for_each_left(
      [this](const std::string& id, std::function<void()> next) {
        const bool is_objective = objectives_.contains(id);
        ask(is_objective ? "objectives/update" : "CancelTask",
            R"({"id":")" + id + '"' + (is_objective ? R"(,"status":"canceled"})" : "}"),
            [next = std::move(next)](const json::object&) { next(); });
      },
      [this] {
        in_.after(rest_takes, [this] {
          list_tasks(
              "",
              [this](const task_view& shown) {
                tasks_.insert(shown.id);
                ++in_.seen.listed[shown.id];
                in_.seen.readings.push_back({"the list", shown});
              },
              [this] { read_all(); });
        });
      });
}

void witness::read_all() {
  for (const auto& made : in_.seen.calls)
    for (const auto& shown : made.tasks)
      tasks_.insert(shown.id);
  for (const auto& read : in_.seen.streams)
    if (!read.task.empty() && !read.events.empty())
      tasks_.insert(read.task);
  left_.assign(tasks_.begin(), tasks_.end());
  in_.seen.rest.emplace();
  for_each_left(
      [this](const std::string& id, std::function<void()> next) {
        get(id, binding::json_rpc, [this, next = std::move(next)](std::optional<task_view> shown) {
          if (shown)
            in_.seen.rest->emplace(shown->id, *shown);
          next();
        });
      },
      [this] { read_again(); });
}

void witness::read_again() {
  for_each_left(
      [this](const std::string& id, std::function<void()> next) {
        constexpr auto ways =
            std::to_array<binding>({binding::json_rpc_0_3, binding::rest, binding::rest_0_3});
        const auto how = ways[in_.seen.readings.size() % ways.size()];
        get(id, how, [this, id, how, next = std::move(next)](std::optional<task_view> shown) {
          task_view none;
          none.id = id;
          if (shown || in_.seen.rest->contains(id))
            in_.seen.readings.push_back({name_of(how), shown.value_or(none)});
          next();
        });
      },
      [this] { read_objectives(); });
}

void witness::read_objectives() {
  left_.assign(objectives_.begin(), objectives_.end());
  for_each_left(
      [this](const std::string& id, std::function<void()> next) {
        ask("objectives/get", R"({"id":")" + id + "\"}",
            [this, id, next = std::move(next)](const json::object& result) {
              const auto* inside = object_at(result, "objective");
              in_.seen.ends.push_back(read_objective(inside == nullptr ? result : *inside));
              note_names(in_.seen.ends.back(), caller_.name(), in_.seen);
              for (const auto& shown : read_objective_tasks(result))
                if (in_.seen.rest->contains(shown.id)) // Others have never begun.
                  in_.seen.readings.push_back({"objective " + id, shown});
              next();
            });
      },
      [this] { read_histories(); });
}

void witness::read_history(const std::string& id, bool is_of_plan, const std::string& token,
                           std::function<void()> then) {
  ask(is_of_plan ? "plans/history" : "objectives/history",
      R"({"id":")" + id + R"(","pageSize":100)"
          + (token.empty() ? std::string{} : R"(,"pageToken":")" + token + '"') + "}",
      [this, id, is_of_plan, then = std::move(then)](const json::object& result) {
        const auto* is_complete = result.if_contains("isComplete");
        if (is_complete != nullptr && is_complete->is_bool() && !is_complete->as_bool())
          return then(); // The store keeps none.
        auto& all = in_.seen.revisions[id];
        for (auto& each : read_revisions(result)) {
          in_.story.add("revision " + std::to_string(each.revision) + " of " + id + ": "
                        + each.reason);
          all.push_back(std::move(each));
        }
        const auto next = text_at(result, "nextPageToken");
        next.empty() ? then() : read_history(id, is_of_plan, next, then);
      });
}

void witness::read_histories() {
  left_.clear();
  for (const auto& each : in_.seen.ends) {
    if (each.revision == 0)
      continue; // Nothing of it was changed.
    left_.push_back(each.id);
    for (const auto& plan : each.plans)
      if (plan.revision != 0)
        left_.push_back(plan.id);
  }
  for_each_left(
      [this](const std::string& id, std::function<void()> next) {
        read_history(id, !objectives_.contains(id), "", std::move(next));
      },
      [this] { in_.after(1ms, [this] { start_again(); }); });
}

void witness::list_after(const std::string& step, std::function<void()> then) {
  in_.seen.restarts[step]; // There may be no task.
  list_tasks(
      "", [this, step](const task_view& shown) { in_.seen.restarts[step][shown.id] = shown; },
      std::move(then));
}

void witness::start_again() {
  if (!in_.how.is_durable)
    return done_();
  // Not within a call of the connection, which the start ends.
  const auto then = [this](bool with_damage, std::function<void(bool)> next) {
    in_.after(1ms,
              [this, with_damage, next = std::move(next)] { next(in_.start_again(with_damage)); });
  };
  list_after("before", [this, then] {
    then(false, [this, then](bool) {
      list_after("one more start", [this, then] {
        then(true, [this](bool has_started) {
          in_.story.reached(has_started ? "a damaged journal is read without loss"
                                        : "a damaged journal is refused");
          list_after("a start with a damaged byte", done_);
        });
      });
    });
  });
}

} // namespace troupe::sim
