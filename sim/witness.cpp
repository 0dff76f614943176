#include "sim/witness.hpp"

#include <boost/json/parse.hpp>

#include <utility>

#include "sim/views.hpp"

namespace troupe::sim {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

/// Backoffs, graces and slow steps of agents are over by then.
constexpr auto rest_takes = 60s;

} // namespace

witness::witness(world& in, dice& network) : in_(in), caller_(in, network, "witness") {}

void witness::begin(std::function<void()> done) {
  done_ = std::move(done);
  list_objectives("", [this] { list_tasks("", [this] { cancel_all(); }); });
}

void witness::ask(std::string method, std::string params, answered then) {
  caller::question asked;
  asked.method = method;
  asked.params = params;
  asked.patience = 60s;
  caller_.on_end = [this, method = std::move(method), params = std::move(params),
                    then = std::move(then)](caller::end how) mutable {
    if (how == caller::end::answered && caller_.answer().status() == 200) {
      const auto whole = json::parse(caller_.answer().body());
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

void witness::list_objectives(const std::string& token, std::function<void()> then) {
  ask("objectives/list",
      R"({"pageSize":100,"includePlans":false)"
          + (token.empty() ? std::string{} : R"(,"pageToken":")" + token + '"') + "}",
      [this, then = std::move(then)](const json::object& result) {
        if (const auto* page = result.if_contains("objectives"))
          for (const auto& each : page->as_array())
            objectives_.insert(text_at(each.as_object(), "id"));
        const auto next = text_at(result, "nextPageToken");
        next.empty() ? then() : list_objectives(next, then);
      });
}

void witness::list_tasks(const std::string& token, std::function<void()> then) {
  ask("ListTasks",
      R"({"pageSize":100)" + (token.empty() ? std::string{} : R"(,"pageToken":")" + token + '"')
          + "}",
      [this, then = std::move(then)](const json::object& result) {
        if (const auto* page = result.if_contains("tasks"))
          for (const auto& each : page->as_array())
            tasks_.insert(text_at(each.as_object(), "id"));
        const auto next = text_at(result, "nextPageToken");
        next.empty() ? then() : list_tasks(next, then);
      });
}

void witness::cancel_all() {
  left_.assign(objectives_.begin(), objectives_.end());
  const auto objectives = left_.size();
  left_.insert(left_.end(), tasks_.begin(), tasks_.end());
  // One after the other; what has ended refuses, which is as good.
  auto next = std::make_shared<std::function<void(std::size_t)>>();
  *next = [this, objectives, weak = std::weak_ptr(next)](std::size_t number) {
    if (number == left_.size()) {
      in_.after(rest_takes, [this] { list_tasks("", [this] { read_all(); }); });
      return;
    }
    const bool is_objective = number < objectives;
    ask(is_objective ? "objectives/update" : "CancelTask",
        R"({"id":")" + left_[number] + '"' + (is_objective ? R"(,"status":"canceled"})" : "}"),
        [self = weak.lock(), number](const json::object&) { (*self)(number + 1); });
  };
  (*next)(0);
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
  auto next = std::make_shared<std::function<void(std::size_t)>>();
  *next = [this, weak = std::weak_ptr(next)](std::size_t number) {
    if (number == left_.size())
      return done_();
    ask("GetTask", R"({"id":")" + left_[number] + "\"}",
        [this, self = weak.lock(), number](const json::object& result) {
          if (const auto shown = read_task(result); !shown.id.empty())
            in_.seen.rest->emplace(shown.id, shown);
          (*self)(number + 1);
        });
  };
  (*next)(0);
}

} // namespace troupe::sim
