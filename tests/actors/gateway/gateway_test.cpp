// Objectives, plans and tasks as their users see them: through the gateway and the store.
#include "actors/plan/live_bytes.hpp"
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include <troupe/actors/gateway.hpp>

#include <algorithm>
#include <memory>
#include <mutex>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Answers with a message; to `ask`, with a question.
class replying_agent final : public agent {
public:
  start_result start(const order_ptr& order, const agent_port_ptr&) override {
    if (order->text() == "ask")
      return report_question{"what?", false};
    report_reply out;
    out.message.parts.push_back(text_part("you said " + order->text()));
    return out;
  }
};

/// Its input may have `text`, and nothing else.
class choosy_agent final : public agent {
public:
  start_result start(const order_ptr&, const agent_port_ptr&) override {
    return report_completed{};
  }
  result<void> check_input(const boost::json::object& input) const override {
    for (const auto& member : input)
      if (member.key() != "text")
        return make_error(errc::invalid_params, "unknown member", "/" + std::string(member.key()));
    return {};
  }
};

/// Throws at what its name says: `on_wake`, `on_input`, `on_cancel`; something that is no
/// exception.
class throwing_agent final : public agent {
public:
  start_result start(const order_ptr& order, const agent_port_ptr& port) override {
    port->wake_after(std::chrono::nanoseconds{0});
    return std::make_unique<run>(order->text());
  }

private:
  struct run final : agent_run {
    explicit run(std::string at) : at_(std::move(at)) {}
    void on_wake() override { here("on_wake"); }
    void on_input(const message_ptr&) override { here("on_input"); }
    bool on_cancel() override {
      here("on_cancel");
      return true;
    }
    void here(std::string_view where) const {
      if (where == at_)
        throw 42;
    }
    std::string at_;
  };
};

task_spec retried(task_spec task, std::uint32_t attempts) {
  task.retry.attempts_max = attempts;
  return task;
}

result<task_ptr> cancel(actor_bed& bed, const task_id& id) {
  awaited<task_ptr> done;
  bed.main_gateway().cancel(cancel_task{{}, id, {}}, done.to());
  return done.get();
}

result<sent> say(actor_bed& bed, const std::string& text, const std::string& to = {},
                 watcher_ptr follow = nullptr) {
  send_message command;
  command.message.message_id = "m1";
  command.message.from = role::user;
  command.message.parts.push_back(text_part(text));
  command.message.task_id = to;
  awaited<sent> done;
  bed.main_gateway().send(std::move(command), std::move(follow), done.to());
  return done.get();
}

} // namespace

TEST_CASE("an agent may answer with a message instead of taking a task, and nothing is kept",
          "[actors][gateway]") {
  actor_bed bed;
  bed.agents.add("replying", std::make_shared<replying_agent>());
  bed.agents.default_agent = "replying";
  const auto answered = say(bed, "hi");
  REQUIRE(answered);
  REQUIRE(answered->answer);
  const auto& said = *answered->answer;
  CHECK(text_of(said.parts) == "you said hi");
  CHECK(said.from == role::agent);
  CHECK_FALSE(said.message_id.empty());
  CHECK(said.context_id == answered->context);
  CHECK(said.task_id.empty());
  CHECK_FALSE(find_task(bed.records(), answered->task));
  CHECK_FALSE(answered->created);
  CHECK(list(bed.records(), list_tasks{})->total_size == 0);
}

TEST_CASE("the history has question and answer in the order in which they were said",
          "[actors][gateway]") {
  actor_bed bed;
  bed.agents.add("replying", std::make_shared<replying_agent>());
  bed.agents.default_agent = "replying";
  const auto asked = say(bed, "ask", {}, bed.seen);
  REQUIRE(asked);
  bed.seen->wait_for(task_state::input_required);
  const auto seen = std::make_shared<recorder>();
  REQUIRE(watch_task(bed.records(), asked->task, seen));
  REQUIRE(say(bed, "this", asked->task.str()));
  seen->wait_for(task_state::completed);
  std::vector<std::string> said;
  for (const auto& one : find_task(bed.records(), asked->task)->history)
    said.push_back(text_of(one->parts));
  CHECK(said == std::vector<std::string>{"ask", "what?", "this"});
}

TEST_CASE("where there is a task already, an agent's reply completes it", "[actors][gateway]") {
  actor_bed bed;
  bed.agents.add("replying", std::make_shared<replying_agent>());
  bed.agents.default_agent = "replying";
  const auto planned = bed.run(an_objective({a_plan("p", {a_task("a", {}, "replying")})}),
                               objective_state::completed);
  const auto task = find_task(bed.records(), planned->plans[0].task_at(0));
  REQUIRE(task->artifacts.size() == 1);
  CHECK(task->artifacts[0]->name == "reply");
  CHECK(text_of(task->artifacts[0]->parts) == "you said a");

  const auto asked = say(bed, "ask", {}, bed.seen);
  REQUIRE(asked);
  CHECK_FALSE(asked->answer);
  bed.seen->wait_for(task_state::input_required);
  const auto seen = std::make_shared<recorder>();
  REQUIRE(watch_task(bed.records(), asked->task, seen));
  REQUIRE(say(bed, "now", asked->task.str()));
  seen->wait_for(task_state::completed);
  CHECK(text_of(find_task(bed.records(), asked->task)->artifacts.at(0)->parts)
        == "you said ask\nnow");
}

TEST_CASE("tasks run in the order of their dependencies", "[actors][gateway]") {
  actor_bed bed;
  const auto end =
      bed.run(an_objective({a_plan("p", {a_task("c", {"b"}), a_task("b", {"a"}), a_task("a")})}),
              objective_state::completed);
  CHECK(bed.states(*end) == "completed completed completed");
  CHECK(end->plans[0].state == plan_state::completed);
  CHECK(bed.seen->moves(*end)
        == std::vector<std::string>{"a:working", "a:completed", "b:working", "b:completed",
                                    "c:working", "c:completed"});
}

TEST_CASE("nothing runs before the objective is started", "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}), false);
  REQUIRE(made);
  // It answers a command, so it had every chance to begin before.
  CHECK((*bed.move((*made)->id, objective_state::planning))->state == objective_state::planning);
  CHECK(bed.held->starts() == 0);
  CHECK(find_objective(bed.records(), (*made)->id)->plans[0].state == plan_state::pending);
  REQUIRE(bed.move((*made)->id, objective_state::working));
  bed.held->port("a")->report(report_completed{});
  bed.seen->wait_for(objective_state::completed);
}

TEST_CASE("an objective or plan without content never completes by itself", "[actors][gateway]") {
  actor_bed bed;
  const auto empty = bed.begin(an_objective({}));
  REQUIRE(empty);
  const auto hollow = bed.begin(an_objective({a_plan("p", {})}));
  REQUIRE(hollow);
  // Both answer commands, so they had every chance to end before.
  CHECK((*bed.move((*empty)->id, objective_state::working))->state == objective_state::working);
  CHECK((*bed.move((*hollow)->id, objective_state::working))->state == objective_state::working);
}

TEST_CASE("an agent that throws fails its task with the reason and the plan fails fast",
          "[actors][gateway]") {
  actor_bed bed;
  const auto end = bed.run(an_objective({a_plan("p", {a_task("a", {}, "boom"), a_task("b", {"a"}),
                                                      a_task("c", {}, "held")})}),
                           objective_state::failed);
  CHECK(bed.states(*end) == "failed canceled canceled");
  CHECK_THAT(end->reason, ContainsSubstring("boom"));
  const auto record = find_task(bed.records(), end->plans[0].task_at(0));
  REQUIRE(record);
  CHECK_THAT(text_of(record->status.message->parts), ContainsSubstring("boom"));
}

TEST_CASE("a chosen id must not look like one that will be made for something else",
          "[actors][gateway]") {
  actor_bed bed;
  const auto with_ids = [](const std::string& objective, const std::string& plan,
                           const std::string& task) {
    auto first = a_task("x");
    auto second = a_task("y");
    second.id = task_id{task};
    auto only = a_plan("p", {std::move(first), std::move(second)});
    only.id = plan_id{plan};
    auto out = an_objective({std::move(only)});
    out.id = objective_id{objective};
    return out;
  };
  struct row {
    const char* objective;
    const char* plan;
    const char* task;
    const char* where; ///< Null: accepted.
  };
  const auto [objective, plan, task, where] = GENERATE(
      row{"a", "", "a.p0.t0", "/plans/0/tasks/1/id"},
      row{"", "", "evil.p0.t0", "/plans/0/tasks/1/id"}, row{"", "evil.p0", "", "/plans/0/id"},
      row{"a", "a.p1", "", "/plans/0/id"}, row{"a", "b", "b.t0", "/plans/0/tasks/1/id"},
      row{"a", "", "x.r1", "/plans/0/tasks/1/id"}, row{"a", "a.p0", "a.p0.t1", nullptr},
      row{"a", "", "a.p0.t1", nullptr}, row{"a", "b", "b.t1", nullptr},
      row{"", "v1.2", "t-1", nullptr});
  CAPTURE(objective, plan, task);
  const auto made = bed.begin(with_ids(objective, plan, task), false);
  if (where == nullptr) {
    CHECK(made);
    return;
  }
  REQUIRE_FALSE(made);
  CHECK(made.error().code == errc::invalid_params);
  CHECK(made.error().field == where);
  create_plan more;
  const auto whole = bed.begin(an_objective({}), false);
  more.objective = (*whole)->id;
  more.spec = *with_ids(objective, plan, task).plans[0];
  awaited<plan_id> added;
  bed.main_gateway().create(std::move(more), added.to());
  CHECK_FALSE(added.get());
}

TEST_CASE("if any function of an agent throws, its task ends with a reason", "[actors][gateway]") {
  actor_bed bed;
  bed.agents.add("throwing", std::make_shared<throwing_agent>());
  bed.agents.default_agent = "throwing";
  const std::string where = GENERATE("on_wake", "on_input", "on_cancel");
  CAPTURE(where);
  const auto made = say(bed, where, {}, bed.seen);
  REQUIRE(made);
  if (where == "on_input")
    REQUIRE(say(bed, "more", made->task.str()));
  if (where == "on_cancel") {
    CHECK(cancel(bed, made->task));
    CHECK(text_of(find_task(bed.records(), made->task)->status.message->parts)
          == "canceled by request");
    return;
  }
  bed.seen->wait_for(task_state::failed);
  CHECK_THAT(text_of(find_task(bed.records(), made->task)->status.message->parts),
             ContainsSubstring("the agent threw"));
}

TEST_CASE("a failed attempt is followed by the next one until they are used up",
          "[actors][gateway]") {
  actor_bed bed;
  SECTION("the second succeeds") {
    const auto end =
        bed.run(an_objective({a_plan("p", {retried(a_task("a", {}, "second-try"), 3)})}),
                objective_state::completed);
    CHECK(end->plans[0].tasks[0].attempt == 2);
  }
  SECTION("all fail") {
    const auto end = bed.run(an_objective({a_plan("p", {retried(a_task("a", {}, "boom"), 3)})}),
                             objective_state::failed);
    CHECK(end->plans[0].tasks[0].attempt == 3);
    CHECK_THAT(end->reason, ContainsSubstring("attempt 3 of 3"));
  }
}

TEST_CASE("a task waits for a task of another plan and receives its artifacts",
          "[actors][gateway]") {
  actor_bed bed;
  auto maker = a_task("make", {}, "echo");
  maker.input["text"] = "hello";
  auto user = a_task("use", {"make"}, "echo");
  user.input["text"] = "got ${tasks.make.artifacts[0].text}";
  const auto end = bed.run(an_objective({a_plan("one", {maker}), a_plan("two", {user})}),
                           objective_state::completed);
  const auto record = find_task(bed.records(), end->plans[1].task_at(0));
  REQUIRE(record);
  REQUIRE(record->artifacts.size() == 1);
  CHECK(text_of(record->artifacts[0]->parts) == "got hello");
}

TEST_CASE("a reference that cannot be resolved fails the task with a clear reason",
          "[actors][gateway]") {
  actor_bed bed;
  auto user = a_task("use", {"make"}, "echo");
  user.input["text"] = "${tasks.make.artifacts[0].text}";
  const auto end =
      bed.run(an_objective({a_plan("p", {a_task("make"), user})}), objective_state::failed);
  CHECK_THAT(end->reason, ContainsSubstring("artifact"));
}

TEST_CASE("one task of a plan can be canceled, begun or not", "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({going_on(
      a_plan("p", {a_task("a", {}, "held"), a_task("b", {"a"}), a_task("c", {}, "held")}))}));
  REQUIRE(made);
  (void)bed.held->port("a");
  (void)bed.held->port("c");
  const auto later = cancel(bed, (*made)->plans[0].task_at(1));
  REQUIRE(later);
  CHECK((*later)->status.state == task_state::canceled);
  const auto running = cancel(bed, (*made)->plans[0].task_at(2));
  REQUIRE(running);
  CHECK((*running)->status.state == task_state::canceled);
  bed.held->port("a")->report(report_completed{});
  bed.seen->wait_for(objective_state::failed);
  const auto end = find_objective(bed.records(), (*made)->id);
  CHECK(bed.states(*end) == "completed canceled canceled");
  CHECK(cancel(bed, (*made)->plans[0].task_at(0)).error().code == errc::task_not_cancelable);
  CHECK(cancel(bed, task_id{"nobody"}).error().code == errc::task_not_found);
}

TEST_CASE("the metadata of any cancel request is in the status message", "[actors][gateway]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  send_message alone;
  alone.message.message_id = "m";
  alone.message.parts.push_back(text_part("go on"));
  awaited<sent> lone;
  bed.main_gateway().send(std::move(alone), nullptr, lone.to());
  create_objective command;
  command.spec =
      an_objective({going_on(a_plan("p", {a_task("a", {}, "held"), a_task("b", {"a"})}))});
  command.start = true;
  command.request = std::make_shared<const message>();
  awaited<objective_ptr> made;
  bed.main_gateway().create(std::move(command), bed.seen, made.to());
  const auto view = made.get().value();
  (void)bed.held->port("a");
  const auto metadata_after_cancel = [&](const task_id& id) {
    awaited<task_ptr> done;
    bed.main_gateway().cancel(cancel_task{{}, id, {{"why", id.str()}}}, done.to());
    const auto canceled = done.get().value();
    CHECK(canceled->status.state == task_state::canceled);
    CHECK(find_task(bed.records(), id)->status.message->metadata
          == canceled->status.message->metadata);
    return canceled->status.message->metadata;
  };
  // A lone task, one that has not begun, one that works, and the objective itself.
  for (const auto& id :
       {lone.get().value().task, view->plans[0].task_at(1), view->plans[0].task_at(0)})
    CHECK(metadata_after_cancel(id) == boost::json::object{{"why", id.str()}});
  awaited<objective_ptr> second;
  create_objective other;
  other.spec = an_objective({a_plan("p", {a_task("c", {}, "held")})});
  other.start = true;
  other.request = std::make_shared<const message>();
  bed.main_gateway().create(std::move(other), nullptr, second.to());
  const auto root = second.get().value()->root_task;
  (void)bed.held->port("c");
  CHECK(metadata_after_cancel(root) == boost::json::object{{"why", root.str()}});
}

TEST_CASE(
    "a question blocks the objective only when nothing else can run, and the answer unblocks it",
    "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({a_plan(
      "p", {a_task("ask", {}, "asking"), a_task("other", {}, "held"), a_task("after", {"ask"})})}));
  REQUIRE(made);
  const auto id = bed.seen->wait_for(task_state::input_required);
  (void)bed.held->port("other");
  auto now = find_objective(bed.records(), (*made)->id);
  CHECK(now->state == objective_state::working);
  REQUIRE(now->pending_inputs.size() == 1);
  CHECK(now->pending_inputs[0].task == id);
  CHECK(now->pending_inputs[0].prompt == "which one?");
  bed.held->port("other")->report(report_completed{});
  bed.seen->wait_for(objective_state::blocked);
  REQUIRE(say(bed, "the red one", id.str()));
  bed.seen->wait_for(objective_state::completed);
  now = find_objective(bed.records(), (*made)->id);
  CHECK(now->pending_inputs.empty());
  CHECK(text_of(find_task(bed.records(), id)->artifacts[0]->parts) == "the red one");
  CHECK(say(bed, "the blue one", id.str()).error().code == errc::unsupported_operation);
}

TEST_CASE("a message makes a lone task of the default agent", "[actors][gateway]") {
  actor_bed bed;
  bed.agents.default_agent = "echo";
  const auto follow = std::make_shared<recorder>();
  const auto made = say(bed, "hi", {}, follow);
  REQUIRE(made);
  CHECK(made->created);
  follow->wait_for(task_state::completed);
  const auto record = find_task(bed.records(), made->task);
  REQUIRE(record);
  CHECK(record->context == made->context);
  CHECK(text_of(record->artifacts[0]->parts) == "hi");
  CHECK(record->history.size() == 1);
}

TEST_CASE(
    "messages to a running task reach its agent, those to an unknown or ended one are refused",
    "[actors][gateway]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  const auto follow = std::make_shared<recorder>();
  const auto made = say(bed, "begin", {}, follow);
  REQUIRE(made);
  const auto port = bed.held->port("");
  REQUIRE(say(bed, "more", made->task.str()));
  CHECK(bed.held->inputs(1) == std::vector<std::string>{":more"});
  port->report(report_completed{});
  follow->wait_for(task_state::completed);
  CHECK(say(bed, "late", made->task.str()).error().code == errc::unsupported_operation);
  CHECK(say(bed, "hello?", "nobody").error().code == errc::task_not_found);
}

TEST_CASE("a failed objective can be tried again: what completed stays, what failed is done as a "
          "new task",
          "[actors][gateway]") {
  actor_bed bed;
  bool works = false;
  bed.agents.add("fixed-later", [&works](const order&) -> std::string {
    if (!works)
      throw std::runtime_error("broken");
    return "fine";
  });
  const auto first = bed.run(
      an_objective(
          {a_plan("p", {a_task("a"), a_task("b", {"a"}, "fixed-later"), a_task("c", {"b"})})}),
      objective_state::failed);
  CHECK(bed.states(*first) == "completed failed canceled");
  works = true;
  REQUIRE(bed.move(first->id, objective_state::planning));
  REQUIRE(bed.move(first->id, objective_state::working));
  bed.seen->wait_for(objective_state::completed);
  const auto end = find_objective(bed.records(), first->id);
  CHECK(bed.states(*end) == "completed completed completed");
  CHECK(end->plans[0].task_at(0) == first->plans[0].task_at(0));
  CHECK(end->plans[0].task_at(1) != first->plans[0].task_at(1));
  CHECK(find_task(bed.records(), first->plans[0].task_at(1))->status.state == task_state::failed);
}

TEST_CASE("moves the table does not allow are refused", "[actors][gateway]") {
  actor_bed bed;
  const auto end = bed.run(an_objective({a_plan("p", {a_task("a")})}), objective_state::completed);
  const auto again = bed.move(end->id, objective_state::working);
  REQUIRE_FALSE(again);
  CHECK(again.error().code == errc::invalid_transition);
  CHECK(bed.move(objective_id{"nobody"}, objective_state::working).error().code
        == errc::objective_not_found);
}

TEST_CASE("an invalid objective is refused before anything is created", "[actors][gateway]") {
  actor_bed bed;
  const auto refused = [&](objective_spec spec) { return bed.begin(std::move(spec)).error(); };
  CHECK(refused(an_objective({a_plan("p", {a_task("a", {}, "nobody")})})).code
        == errc::agent_not_found);
  CHECK(refused(an_objective({a_plan("p", {a_task("a", {"b"})})})).code
        == errc::unknown_dependency);
  auto user = a_task("use", {"make"}, "echo");
  user.input["text"] = "${tasks.other.artifacts[0].text}";
  const auto why = refused(an_objective({a_plan("p", {a_task("make"), user})}));
  CHECK(why.code == errc::invalid_reference);
  CHECK(why.field == "/plans/0/tasks/1/input/text");
}

TEST_CASE("an agent checks an input before anything runs, with references in it or without",
          "[actors][gateway]") {
  actor_bed bed;
  bed.agents.add("choosy", std::make_shared<choosy_agent>());
  auto user = a_task("use", {"make"}, "choosy");
  user.input["txet"] = "plain";
  for (const auto* text : {"plain", "${tasks.make.artifacts[0].text}"}) {
    user.input["text"] = text;
    const auto why = bed.begin(an_objective({a_plan("p", {a_task("make"), user})})).error();
    CHECK(why.code == errc::invalid_params);
    CHECK(why.field == "/plans/0/tasks/1/input/txet");
    CHECK_THAT(why.message, StartsWith("task \"use\": input/txet: "));
  }
  user.input.erase("txet");
  CHECK(bed.begin(an_objective({a_plan("p", {a_task("make"), user})})));
}

TEST_CASE("an id of the client's is adopted once and refused the second time",
          "[actors][gateway]") {
  actor_bed bed;
  auto spec = an_objective({a_plan("p", {a_task("a")})});
  spec.id = objective_id{"mine"};
  REQUIRE(bed.begin(spec));
  const auto again = bed.begin(spec);
  REQUIRE_FALSE(again);
  CHECK(again.error().code == errc::duplicate_id);
}

TEST_CASE("plans can be added while others run, and wait for their tasks", "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}));
  REQUIRE(made);
  (void)bed.held->port("a");
  awaited<plan_id> done;
  bed.main_gateway().create(create_plan{{}, (*made)->id, a_plan("q", {a_task("b", {"a"})}), true},
                            done.to());
  const auto added = done.get();
  REQUIRE(added);
  CHECK(find_objective(bed.records(), (*made)->id)->plans.size() == 2);
  bed.held->port("a")->report(report_completed{});
  bed.seen->wait_for(objective_state::completed);
  awaited<plan_id> late;
  bed.main_gateway().create(create_plan{{}, (*made)->id, a_plan("r", {}), true}, late.to());
  CHECK(late.get().error().code == errc::invalid_transition);
}

TEST_CASE("a plan can be completed by request", "[actors][gateway]") {
  actor_bed bed;
  const auto made =
      bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held"), a_task("b", {"a"})})}));
  REQUIRE(made);
  (void)bed.held->port("a");
  awaited<plan_id> done;
  update_plan command;
  command.id = (*made)->plans[0].spec->id;
  command.state = plan_state::completed;
  bed.main_gateway().update(command, done.to());
  REQUIRE(done.get());
  bed.seen->wait_for(objective_state::completed);
  const auto end = find_objective(bed.records(), (*made)->id);
  CHECK(bed.states(*end) == "canceled canceled");
}

TEST_CASE("draining refuses new work, and running work continues", "[actors][gateway]") {
  actor_bed bed;
  const auto made =
      bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held"), a_task("b", {"a"})})}));
  REQUIRE(made);
  (void)bed.held->port("a");
  bed.main_gateway().drain();
  CHECK(bed.begin(an_objective({})).error().code == errc::unavailable);
  CHECK(say(bed, "hi").error().code == errc::unavailable);
  bed.held->port("a")->report(report_completed{});
  bed.seen->wait_for(objective_state::completed);
}

TEST_CASE("a wide plan completes", "[actors][gateway]") {
  actor_bed bed;
  std::vector<task_spec> many{a_task("root")};
  std::vector<std::string> names;
  for (int i = 0; i < 2'000; ++i) {
    names.push_back("t" + std::to_string(i));
    many.push_back(a_task(names.back(), {"root"}));
  }
  many.push_back(a_task("join", names));
  const auto end =
      bed.run(an_objective({a_plan("p", std::move(many))}), objective_state::completed);
  for (const auto& slot : end->plans[0].tasks)
    CHECK(slot.state == task_state::completed);
}

TEST_CASE("messages to live tasks are bounded, and their end makes room again",
          "[actors][gateway]") {
  executor_options options;
  options.live_bytes_max = 100'000;
  actor_bed bed{options};
  bed.agents.default_agent = "held";
  const auto bulky = std::string(40'000, 'x');
  const auto first = say(bed, bulky);
  REQUIRE(first);
  REQUIRE(say(bed, bulky, first->task.str()));
  const auto second = say(bed, bulky);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == errc::overloaded);
  CHECK_THAT(second.error().message, ContainsSubstring("limits.live-bytes"));
  CHECK(say(bed, bulky, first->task.str()).error().code == errc::overloaded);
  CHECK(say(bed, "short"));
  REQUIRE(cancel(bed, first->task));
  // Its actor leaves a moment after the answer.
  CHECK(comes_true([&] { return say(bed, bulky).has_value(); }));
}

namespace {

/// Keeps what its tasks were given, as an agent does that reads it piece by piece.
class keeping_agent final : public agent {
public:
  start_result start(const order_ptr& order, const agent_port_ptr& port) override {
    {
      const std::lock_guard lock{guard_};
      kept_.push_back(order);
    }
    return inner->start(order, port);
  }
  void let_go() {
    const std::lock_guard lock{guard_};
    kept_.clear();
  }
  std::shared_ptr<agent> inner;

private:
  std::mutex guard_;
  std::vector<order_ptr> kept_;
};

} // namespace

TEST_CASE("an artifact that running tasks depend on is bounded with the plans, and counts once",
          "[actors][gateway][artifacts]") {
  executor_options options;
  options.live_bytes_max = 100'000;
  actor_bed bed{options};
  bed.agents.add("large", [](const order&) { return std::string(60'000, 'x'); });
  const auto keeping = std::make_shared<keeping_agent>();
  keeping->inner = bed.held;
  bed.agents.add("keeping", keeping);
  std::vector<task_spec> tasks{a_task("source", {}, "large")};
  for (const auto* name : {"t0", "t1", "t2"})
    tasks.push_back(a_task(name, {"source"}, "keeping"));
  const auto running = bed.begin(an_objective({a_plan("p", std::move(tasks))}));
  REQUIRE(running);
  bed.held->wait_starts(3);
  auto bulky = a_task("bulky");
  bulky.description = std::string(60'000, 'x');
  const auto refused = bed.begin(an_objective({a_plan("q", {bulky})}), false);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::overloaded);
  CHECK_THAT(refused.error().message, ContainsSubstring("limits.live-bytes"));
  // Three copies of it would leave no room for this one.
  bulky.description = std::string(20'000, 'x');
  CHECK(bed.begin(an_objective({a_plan("q", {bulky})}), false));
  REQUIRE(bed.move((*running)->id, objective_state::canceled));
  keeping->let_go();
  // The actors leave a moment after the answer.
  bulky.description = std::string(60'000, 'x');
  CHECK(comes_true(
      [&] { return bed.begin(an_objective({a_plan("r", {bulky})}), false).has_value(); }));
}

TEST_CASE("plans that are never started are bounded too, and their end makes room again",
          "[actors][gateway]") {
  executor_options options;
  options.live_bytes_max = 100'000;
  actor_bed bed{options};
  auto bulky = a_task("bulky");
  bulky.description = std::string(60'000, 'x');
  const auto first = bed.begin(an_objective({a_plan("p", {bulky})}), false);
  REQUIRE(first);
  const auto second = bed.begin(an_objective({a_plan("p", {bulky})}), false);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == errc::overloaded);
  CHECK_THAT(second.error().message, ContainsSubstring("limits.live-bytes"));
  create_plan more;
  more.objective = (*first)->id;
  more.spec = a_plan("q", {bulky});
  awaited<plan_id> added;
  bed.main_gateway().create(std::move(more), added.to());
  CHECK(added.get().error().code == errc::overloaded);
  REQUIRE(bed.move((*first)->id, objective_state::canceled));
  // Its actor leaves a moment after the answer.
  CHECK(comes_true(
      [&] { return bed.begin(an_objective({a_plan("p", {bulky})}), false).has_value(); }));
}

TEST_CASE("metadata of objectives and plans is bounded with the plans", "[actors][gateway]") {
  executor_options options;
  options.live_bytes_max = 100'000;
  actor_bed bed{options};
  const boost::json::object bulky{{"k", std::string(60'000, 'x')}};
  const boost::json::object none{{"k", nullptr}};
  auto spec = an_objective({a_plan("p", {a_task("a")})});
  const auto first = bed.begin(spec, false);
  REQUIRE(first);
  const auto edit_objective = [&](const boost::json::object& metadata) {
    awaited<objective_ptr> done;
    update_objective command;
    command.id = (*first)->id;
    command.edited.metadata = metadata;
    bed.main_gateway().update(std::move(command), done.to());
    return done.get();
  };
  const auto edit_plan = [&](const boost::json::object& metadata) {
    awaited<plan_id> done;
    update_plan command;
    command.id = (*first)->plans[0].spec->id;
    command.edited.metadata = metadata;
    bed.main_gateway().update(std::move(command), done.to());
    return done.get();
  };
  REQUIRE(edit_plan(bulky));
  const auto refused = edit_objective(bulky);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::overloaded);
  CHECK_THAT(refused.error().message, ContainsSubstring("limits.live-bytes"));
  REQUIRE(edit_plan(none));
  REQUIRE(edit_objective(bulky));
  CHECK(edit_plan(bulky).error().code == errc::overloaded);
  REQUIRE(edit_objective(none));
  spec.metadata = bulky;
  REQUIRE(bed.begin(spec, false));
  CHECK(edit_plan(bulky).error().code == errc::overloaded);
  CHECK(edit_plan(none));
}

TEST_CASE("a plan counts with the indexes of its tasks from the beginning", "[actors][gateway]") {
  std::vector<task_spec> tasks;
  for (int i = 0; i < 100; ++i) {
    tasks.push_back(a_task("name " + std::to_string(i)));
    tasks.back().key = "key " + std::to_string(i);
  }
  const auto spec = an_objective({a_plan("p", std::move(tasks))});
  const auto begun_with = [&](std::size_t live_bytes_max) {
    executor_options options;
    options.live_bytes_max = live_bytes_max;
    actor_bed bed{options};
    return bed.begin(spec, false);
  };
  // Each key and each name may be in two indexes.
  const auto refused = begun_with(bytes_of(spec) + 2 * 2 * 100 * indexed_name_bytes);
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().message, ContainsSubstring("limits.live-bytes"));
  CHECK(begun_with(live_bytes_of(spec)));
}

TEST_CASE("a live task counts what it takes beside its text, and new ones are refused for that",
          "[actors][gateway][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{1} << 20);
  executor_options options;
  options.memory = memory;
  actor_bed bed{options};
  bed.agents.default_agent = "held";
  const auto send = [&] {
    awaited<sent> done;
    send_message command;
    command.message.parts = {text_part("x")};
    bed.main_gateway().send(std::move(command), nullptr, done.to());
    return done.get();
  };
  REQUIRE(send());
  CHECK(memory->held(memory_account::live_work) >= live_task_bytes);
  std::size_t count = 1;
  result<sent> last = send();
  for (; last && count < 1'000; ++count)
    last = send();
  REQUIRE_FALSE(last.has_value());
  CHECK_THAT(last.error().message, ContainsSubstring("live-work"));
  CHECK(count * live_task_bytes <= memory->bytes_max());
  // The tasks of a plan count from when it is accepted.
  const auto spec = an_objective({a_plan("p", {a_task("a"), a_task("b")})});
  CHECK(live_bytes_of(spec) >= bytes_of(spec) + 2 * live_task_bytes);
}

TEST_CASE("on a thread of their own, too, ready tasks start in the order of the document",
          "[actors][gateway]") {
  executor_options options;
  options.threads = 1;
  actor_bed bed{options};
  std::vector<std::string> all;
  std::vector<task_spec> tasks;
  for (int i = 0; i < 64; ++i) {
    all.push_back("t" + std::to_string(i));
    tasks.push_back(a_task(all.back(), {}, "held"));
  }
  REQUIRE(bed.begin(an_objective({a_plan("p", std::move(tasks))})));
  std::vector<std::string> started;
  for (int i = 0; i < static_cast<int>(all.size()); ++i)
    started.push_back(bed.held->started(i));
  CHECK(started == all);
}
