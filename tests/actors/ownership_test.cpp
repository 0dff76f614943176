// Another caller's object is answered like one that does not exist (A2A 1.0 section 3.3.2),
// whatever is asked of it.
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

principal named(const std::string& id) {
  principal out;
  out.id = id;
  return out;
}

send_message text_by(const principal& who, const std::string& text) {
  send_message command;
  command.who = who;
  command.message.message_id = "m";
  command.message.from = role::user;
  command.message.parts.push_back(text_part(text));
  return command;
}

template<class T, class Command>
result<T> ask(void (gateway::*how)(Command, reply<T>), gateway& main_gateway, Command value) {
  awaited<T> done;
  (main_gateway.*how)(std::move(value), done.to());
  return done.get();
}

result<sent> send(gateway& main_gateway, send_message command) {
  awaited<sent> done;
  main_gateway.send(std::move(command), nullptr, done.to());
  return done.get();
}

/// Both are refused, and in the same words but for the id.
template<class T>
void check_same_refusal(const result<T>& foreign, const std::string& id, const result<T>& unknown,
                        const std::string& nobody) {
  REQUIRE(foreign.has_error());
  REQUIRE(unknown.has_error());
  CHECK(foreign.error().code == unknown.error().code);
  auto words = foreign.error().message;
  if (const auto at = words.find(id); at != std::string::npos)
    words.replace(at, id.size(), nobody);
  CHECK(words == unknown.error().message);
}

} // namespace

TEST_CASE("a client cannot reach the objects of another client", "[actors][ownership]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  auto& main_gateway = bed.main_gateway();
  const auto alice = named("alice");
  const auto bob = named("bob");
  const std::string nobody = "nobody";

  const auto task = send(main_gateway, text_by(alice, "work")).value().task.str();
  create_objective plan;
  plan.who = alice;
  plan.spec = an_objective({a_plan("p", {a_task("a", {}, "held")})});
  plan.start = true;
  awaited<objective_ptr> made;
  main_gateway.create(std::move(plan), bed.seen, made.to());
  const auto objective = made.get().value();
  static_cast<void>(bed.held->port("a"));
  const auto part = objective->plans[0].task_at(0).str();

  for (const auto& id : {task, part}) {
    const auto refer = [&](const principal& who, const std::string& to) {
      auto command = text_by(who, "look");
      command.message.reference_task_ids = {to};
      return send(main_gateway, std::move(command));
    };
    CHECK(refer(bob, id)); // as if there were none
    CHECK(refer(bob, nobody));
    CHECK(refer(alice, id));
    const auto add = [&](const principal& who, const std::string& to) {
      auto command = text_by(who, "more");
      command.message.task_id = to;
      return send(main_gateway, std::move(command));
    };
    check_same_refusal(add(bob, id), id, add(bob, nobody), nobody);
    CHECK(add(alice, id));
    const auto cancel = [&](const std::string& which) {
      awaited<task_ptr> done;
      main_gateway.cancel(cancel_task{bob, task_id{which}, {}}, done.to());
      return done.get();
    };
    check_same_refusal(cancel(id), id, cancel(nobody), nobody);
  }

  const auto change = [&](const principal& who, const std::string& which) {
    update_objective command;
    command.who = who;
    command.id = objective_id{which};
    command.edited.name = "new name";
    return ask<objective_ptr>(&gateway::update, main_gateway, std::move(command));
  };
  check_same_refusal(change(bob, objective->id.str()), objective->id.str(), change(bob, nobody),
                     nobody);
  CHECK(change(alice, objective->id.str()));
  const auto grow = [&](const std::string& which) {
    return ask<plan_id>(&gateway::create, main_gateway,
                        create_plan{bob, objective_id{which}, a_plan("q", {a_task("b")}), false});
  };
  check_same_refusal(grow(objective->id.str()), objective->id.str(), grow(nobody), nobody);
  const auto first = objective->plans[0].spec->id.str();
  const auto move = [&](const std::string& which) {
    update_plan command;
    command.who = bob;
    command.id = plan_id{which};
    command.state = plan_state::failed;
    return ask<plan_id>(&gateway::update, main_gateway, std::move(command));
  };
  check_same_refusal(move(first), first, move(nobody), nobody);
  CHECK(find_objective(bed.records(), objective->id)->plans.size() == 1);

  // Another caller's message with the same context makes a task of that caller in it.
  auto same = text_by(bob, "mine");
  same.message.context_id = find_task(bed.records(), task_id{task})->context;
  const auto own = send(main_gateway, std::move(same)).value().task;
  CHECK(find_task(bed.records(), own)->owner == owner_of(bob));
  list_tasks query;
  query.who = bob;
  CHECK(list(bed.records(), query)->total_size == 5); // and those that refer
}

TEST_CASE("a task gets no artifacts of another client's task", "[actors][ownership]") {
  actor_bed bed;
  bed.agents.add("counts",
                 [](const order& given) { return std::to_string(given.references.size()); });
  bed.agents.default_agent = "counts";
  auto& main_gateway = bed.main_gateway();
  const auto result_of = [&](const principal& who, std::vector<std::string> references) {
    auto command = text_by(who, "look");
    command.message.reference_task_ids = std::move(references);
    const auto id = send(main_gateway, std::move(command)).value().task;
    REQUIRE(comes_true(
        [&] { return find_task(bed.records(), id)->status.state == task_state::completed; }));
    return std::pair{id.str(), text_of(find_task(bed.records(), id)->artifacts.at(0)->parts)};
  };
  const auto alice = named("alice");
  const auto made = result_of(alice, {}).first;
  CHECK(result_of(alice, {made, "nobody"}).second == "1");
  CHECK(result_of(named("bob"), {made, "nobody"}).second == "0");
}
