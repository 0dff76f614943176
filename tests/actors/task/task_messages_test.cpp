// Messages to tasks: what is taken, what is refused, and what reaches the agent (docs/a2a.md,
// "Tasks and messages").
#include "protocol/record/record.hpp"
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/actors/limits.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

send_message text_to(const std::string& text, const std::string& task = {}) {
  send_message command;
  command.message.message_id = "m1";
  command.message.from = role::user;
  command.message.parts.push_back(text_part(text));
  command.message.task_id = task;
  return command;
}

result<sent> send(actor_bed& bed, send_message command, watcher_ptr follow = nullptr) {
  awaited<sent> done;
  bed.main_gateway().send(std::move(command), std::move(follow), done.to());
  return done.get();
}

/// Answers at once with the orders it was given.
class noting_agent final : public agent {
public:
  start_result start(const order_ptr& order, const agent_port_ptr&) override {
    const std::lock_guard lock{mutex_};
    orders_.push_back(order);
    report_completed done;
    done.artifacts.push_back(text_artifact("made", order->text()));
    return done;
  }
  order_ptr last() {
    const std::lock_guard lock{mutex_};
    return orders_.back();
  }

private:
  std::mutex mutex_;
  std::vector<order_ptr> orders_;
};

} // namespace

TEST_CASE("a task of a running plan gets messages in order", "[actors][messages]") {
  actor_bed bed;
  const auto made =
      bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held"), a_task("b", {"a"})})}));
  REQUIRE(made);
  const auto port = bed.held->port("a");
  const auto view = find_objective(bed.records(), (*made)->id);
  const auto id = view->plans[0].task_at(0).str();
  for (const auto* text : {"1", "2", "3"})
    REQUIRE(send(bed, text_to(text, id)));
  CHECK(bed.held->inputs(3) == std::vector<std::string>{"a:1", "a:2", "a:3"});
  CHECK(find_task(bed.records(), task_id{id})->history.size() == 3);
  // One that has not begun takes none yet, one that has ended none any more.
  CHECK(send(bed, text_to("x", view->plans[0].task_at(1).str())).error().code
        == errc::unsupported_operation);
  port->report(report_completed{});
  bed.seen->wait_for(objective_state::completed);
  CHECK(send(bed, text_to("late", id)).error().code == errc::unsupported_operation);
}

TEST_CASE("a task takes no more bytes of messages than its limit, also over a restart",
          "[actors][messages]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  const auto made = send(bed, text_to("begin"));
  REQUIRE(made);
  const auto id = made->task.str();
  REQUIRE(send(bed, text_to(std::string(task_input_bytes_max / 2, 'x'), id)));
  const auto check_full = [&] {
    const auto refused = send(bed, text_to(std::string(task_input_bytes_max / 2, 'y'), id));
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == errc::limit_exceeded);
    CHECK_THAT(refused.error().message, ContainsSubstring("32768 KiB"));
  };
  check_full();
  CHECK(send(bed, text_to("short", id)));
  CHECK(find_task(bed.records(), made->task)->history.size() == 3);
  bed.stop();
  recovered left;
  left.lone_tasks.push_back(find_task(bed.records(), made->task));
  bed.main_gateway().resume(left);
  bed.held->wait_starts(2);
  check_full();
}

TEST_CASE("the first answer to an objective's question wins, and the second is refused",
          "[actors][messages]") {
  actor_bed bed;
  create_objective command;
  command.spec = an_objective({a_plan("p", {a_task("a", {}, "held")})});
  command.start = true;
  command.request = std::make_shared<const message>();
  awaited<objective_ptr> done;
  bed.main_gateway().create(std::move(command), bed.seen, done.to());
  const auto made = done.get();
  REQUIRE(made);
  const auto root = (*made)->root_task.str();
  CHECK(send(bed, text_to("nobody asked", root)).error().code == errc::no_question);
  bed.held->port("a")->report(report_question{"which?", false});
  bed.seen->wait_for(task_state::input_required);
  // What a late answer is told follows from the question that the root task has shown.
  REQUIRE(comes_true([&] {
    return find_task(bed.records(), task_id{root})->status.state == task_state::input_required;
  }));
  REQUIRE(send(bed, text_to("this", root)));
  const auto second = send(bed, text_to("that", root));
  REQUIRE(second.has_error());
  CHECK(second.error().code == errc::already_answered);
  CHECK(second.error().field == (*made)->plans[0].task_at(0).str() + ".question-1");
  auto named = text_to("that", root);
  named.message.metadata["troupe/v1/taskId"] = (*made)->plans[0].task_at(0).str();
  const auto late = send(bed, named);
  REQUIRE(late.has_error());
  CHECK(late.error().code == errc::no_question);
  CHECK_THAT(late.error().message, ContainsSubstring("answered already"));
  auto by_id = text_to("that", root);
  by_id.question = (*made)->plans[0].task_at(0).str() + ".question-1";
  const auto refused = send(bed, by_id);
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == errc::already_answered);
  by_id.question = "nobody.question-1";
  CHECK(send(bed, by_id).error().code == errc::task_not_found);
  CHECK(bed.held->inputs(1) == std::vector<std::string>{"a:this"});
}

TEST_CASE("a lone task that waits for a slot can be read and canceled, and gets messages",
          "[actors][messages]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  bed.held->limit = 1;
  const auto follow = std::make_shared<recorder>();
  const auto first = send(bed, text_to("first"), follow);
  REQUIRE(first);
  const auto port = bed.held->port("");
  const auto second = send(bed, text_to("second"));
  const auto third = send(bed, text_to("third"));
  REQUIRE(second);
  REQUIRE(third);
  CHECK(find_task(bed.records(), second->task)->status.state == task_state::submitted);
  REQUIRE(send(bed, text_to("more", second->task.str())));
  awaited<task_ptr> canceled;
  bed.main_gateway().cancel(cancel_task{{}, third->task, {}}, canceled.to());
  CHECK(canceled.get().value()->status.state == task_state::canceled);
  CHECK(bed.held->starts() == 1);
  port->report(report_completed{});
  follow->wait_for(task_state::completed);
  bed.held->wait_starts(2); // with the message that came before it began
  CHECK(find_task(bed.records(), second->task)->history.size() == 2);
}

TEST_CASE("a restarted agent gets all earlier messages of its task", "[actors][messages]") {
  actor_bed bed;
  const auto noting = std::make_shared<noting_agent>();
  bed.agents.add("noting", noting);
  bed.agents.default_agent = "held";
  const auto made = send(bed, text_to("one"));
  REQUIRE(made);
  static_cast<void>(bed.held->port(""));
  REQUIRE(send(bed, text_to("two", made->task.str())));
  bed.stop();

  auto left = std::make_shared<task>(*find_task(bed.records(), made->task));
  left->agent = "noting";
  bed.agents.default_agent = "noting";
  const auto seen = std::make_shared<recorder>();
  static_cast<void>(watch_task(bed.records(), made->task, seen));
  recovered recovered;
  recovered.lone_tasks.push_back(left);
  bed.main_gateway().resume(recovered);
  seen->wait_for(task_state::completed);
  CHECK(noting->last()->text() == "one\ntwo");
  CHECK(noting->last()->attempt == 2);
}

TEST_CASE("the media types a client takes reach the attempt after a restart too",
          "[actors][messages]") {
  actor_bed bed;
  const auto noting = std::make_shared<noting_agent>();
  bed.agents.add("noting", noting);
  bed.agents.default_agent = "held";
  auto command = text_to("one");
  command.accepted_output_modes = {"text/plain", "image/*"};
  const auto made = send(bed, std::move(command));
  REQUIRE(made);
  static_cast<void>(bed.held->port(""));
  bed.stop();

  // As the journal has it.
  std::string row;
  record::write(row, *find_task(bed.records(), made->task));
  auto left = std::make_shared<task>(record::read_task(row).value());
  left->agent = "noting";
  bed.agents.default_agent = "noting";
  const auto seen = std::make_shared<recorder>();
  static_cast<void>(watch_task(bed.records(), made->task, seen));
  recovered all;
  all.lone_tasks.push_back(left);
  bed.main_gateway().resume(all);
  seen->wait_for(task_state::completed);
  CHECK(noting->last()->accepted_output_modes == std::vector<std::string>{"text/plain", "image/*"});
}

TEST_CASE(
    "a task that had not begun is begun after a restart, even if its agent does nothing twice",
    "[actors][messages]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  bed.held->limit = 1;
  bed.held->rule = restart_rule::fail;
  const auto first = send(bed, text_to("first"));
  static_cast<void>(bed.held->port(""));
  const auto second = send(bed, text_to("second"));
  bed.stop();
  recovered recovered;
  for (const auto& one : {first, second})
    recovered.lone_tasks.push_back(find_task(bed.records(), one->task));
  const auto seen = std::make_shared<recorder>();
  static_cast<void>(watch_task(bed.records(), first->task, seen));
  bed.main_gateway().resume(recovered);
  bed.held->wait_starts(2);
  CHECK(seen->wait_for(task_state::failed) == first->task);
  CHECK(find_task(bed.records(), second->task)->attempt == 1);
}

TEST_CASE("the artifacts of referenced tasks reach the agent", "[actors][messages]") {
  actor_bed bed;
  const auto noting = std::make_shared<noting_agent>();
  bed.agents.add("noting", noting);
  bed.agents.default_agent = "noting";
  const auto old = send(bed, text_to("draft"));
  REQUIRE(old);
  auto next = text_to("again, shorter");
  next.message.context_id = old->context;
  next.message.reference_task_ids = {old->task.str()};
  next.message.parts[0].metadata["referenceArtifactId"] = "artifact-1";
  next.accepted_output_modes = {"text/plain"};
  const auto made = send(bed, next);
  REQUIRE(made);
  CHECK(made->context == old->context);
  const auto seen = noting->last();
  REQUIRE(seen->references.size() == 1);
  CHECK(seen->references[0].id == old->task);
  CHECK(text_of(seen->references[0].artifacts.at(0)->parts) == "draft");
  CHECK(seen->references[0].pinned == std::vector<std::string>{"artifact-1"});
  CHECK(seen->accepted_output_modes == std::vector<std::string>{"text/plain"});

  next.message.reference_task_ids = {"nobody"};
  CHECK(send(bed, next).error().code == errc::invalid_params);
  next.message.reference_task_ids.clear();
  next.accepted_output_modes = {"image/png"};
  next.message.parts[0].metadata.clear();
  CHECK(send(bed, next).error().code == errc::content_type_not_supported);
}

TEST_CASE("a running agent is given what a message refers to before the message",
          "[actors][messages]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  const auto made = send(bed, text_to("begin"));
  REQUIRE(made);
  static_cast<void>(bed.held->port(""));
  auto more = text_to("see there", made->task.str());
  more.message.reference_task_ids = {made->task.str()};
  REQUIRE(send(bed, more));
  CHECK(bed.held->inputs(2)
        == std::vector<std::string>{":refers to " + made->task.str(), ":see there"});
}

TEST_CASE("a message sent again leads to the same task where that is wanted",
          "[actors][messages]") {
  executor_options options;
  options.deduplicate_seconds = 3600;
  actor_bed bed(options);
  bed.agents.default_agent = "echo";
  const auto first = send(bed, text_to("x"));
  REQUIRE(first);
  CHECK(first->created);
  const auto again = send(bed, text_to("x"));
  REQUIRE(again);
  CHECK(again->task == first->task);
  CHECK_FALSE(again->created);
  CHECK(send(bed, text_to("y")).error().code == errc::invalid_params);
  auto elsewhere = text_to("x");
  elsewhere.message.context_id = "other";
  CHECK(send(bed, elsewhere)->task != first->task);
}

TEST_CASE("without the setting every message makes a task of its own", "[actors][messages]") {
  actor_bed bed;
  bed.agents.default_agent = "echo";
  CHECK(send(bed, text_to("x"))->task != send(bed, text_to("x"))->task);
}
