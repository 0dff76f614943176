// The service without any binding: typed commands in, typed results out.
#include "actors/feed/folded_feed.hpp"
#include "actors/service/service.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/results.hpp"
#include "tests/support/specs.hpp"

#include <optional>
#include <string>

using namespace troupe;
using namespace troupe::testing;

namespace {

principal named(const std::string& id) {
  principal out;
  out.id = id;
  return out;
}

send_request text(const std::string& name, bool waits = false) {
  send_request out;
  out.command.message.message_id = "m";
  out.command.message.from = role::user;
  out.command.message.parts.push_back(text_part(name));
  out.waits = waits;
  return out;
}

template<class T>
struct told {
  std::shared_ptr<std::vector<result<T>>> all = std::make_shared<std::vector<result<T>>>();
  reply<T> to() {
    return [all = all](result<T> outcome) { all->push_back(std::move(outcome)); };
  }
  const result<T>& only() const {
    REQUIRE(all->size() == 1);
    return all->front();
  }
};

std::shared_ptr<feed> new_feed() {
  return std::make_shared<feed>(live_queue::bounds{.changes_max = 1000, .bytes_max = 1'000'000},
                                std::make_shared<feed_budget>());
}

/// Fails the test if a record is read of a task that is not to be touched.
class placing_store final : public passing_store {
public:
  void read_placement(const task_id& id, read_done<placement> done,
                      const std::string& client) const override {
    clients.push_back(client);
    if (id.str() != "theirs")
      return done(unknown_task(id.str()));
    placement at;
    at.owner = owner_of(named("alice"));
    done(at);
  }
  void read_task(const task_id& id, read_done<task_ptr> done, const std::string&) const override {
    ++records_read;
    done(unknown_task(id.str()));
  }
  using passing_store::read_placement;
  mutable int records_read = 0;
  mutable std::vector<std::string> clients; ///< Who read placements.
};

} // namespace

TEST_CASE("a send that does not wait is answered when the message is taken", "[actors][service]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  const service all(bed.main_gateway());
  int notified = 0;
  const auto sending = all.send(text("go"), [&] { ++notified; });
  CHECK_FALSE(sending->poll(true));
  bed.clock.settle();
  CHECK(notified == 1);
  const auto outcome = sending->poll(false);
  REQUIRE(outcome);
  CHECK((**outcome).task->status.state == task_state::working);
  sending->end();
}

TEST_CASE("a send that waits is answered when its task ends or asks, and notified once",
          "[actors][service]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  const service all(bed.main_gateway());
  int notified = 0;
  const auto sending = all.send(text("go", true), [&] { ++notified; });
  bed.clock.settle();
  CHECK(notified == 0);
  CHECK_FALSE(sending->poll(false));
  SECTION("it ends") {
    bed.hand->attempts.at(0)->port->report(report_completed{});
    bed.clock.settle();
    CHECK(notified == 1);
    const auto outcome = sending->poll(false);
    REQUIRE(outcome);
    CHECK((**outcome).task->status.state == task_state::completed);
  }
  SECTION("it asks") {
    bed.hand->attempts.at(0)->port->report(report_question{"which?", false});
    bed.clock.settle();
    CHECK(notified == 1);
    CHECK((**sending->poll(false)).task->status.state == task_state::input_required);
  }
  SECTION("the time is up") {
    const auto outcome = sending->poll(true);
    REQUIRE(outcome);
    CHECK((**outcome).task->status.state == task_state::working);
  }
  sending->end();
}

TEST_CASE("only the reader of a stream keeps its feed", "[actors][service]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  const service all(bed.main_gateway());
  told<stream_start> begun;
  all.send(text("go"), new_feed(), begun.to());
  bed.clock.settle();
  const auto id = begun.only()->task;
  std::weak_ptr<feed> first = begun.only()->source;
  const auto news = first.lock()->take(1'000'000);
  CHECK_FALSE(news.snapshot);
  REQUIRE_FALSE(news.frames.empty());
  CHECK(std::holds_alternative<task_created>(news.frames.front().news->events.front()));
  begun.all->clear();
  CHECK(first.expired()); // The task goes on.
  told<stream_start> again;
  all.subscribe({.command = {.who = {}, .id = id}, .after = {}}, new_feed(), again.to());
  bed.clock.settle();
  REQUIRE(again.only());
  CHECK(again.only()->source->snapshot().task->status.state == task_state::working);
  std::weak_ptr<feed> second = again.only()->source;
  again.all->clear();
  CHECK(second.expired());
  bed.hand->attempts.at(0)->port->report(report_completed{});
  bed.clock.settle();
}

TEST_CASE("a message may bring an objective, and its answer shows both", "[actors][service]") {
  clock_bed bed;
  const service all(bed.main_gateway());
  auto request = text("greet", true);
  request.objective = std::make_shared<objective_wish>();
  request.objective->plan = a_plan("p", {a_task("a"), a_task("b", {"a"})});
  const auto sending = all.send(std::move(request), [] {});
  bed.clock.settle();
  const auto outcome = sending->poll(false);
  REQUIRE(outcome);
  REQUIRE(*outcome);
  REQUIRE((**outcome).objective);
  CHECK((**outcome).objective->state == objective_state::completed);
  CHECK((**outcome).objective->root_task == (**outcome).task->id);
  CHECK((**outcome).task->status.state == task_state::completed);
  sending->end();
}

TEST_CASE("a context that is not the objective's is refused before anything is made",
          "[actors][service]") {
  clock_bed bed;
  const service all(bed.main_gateway());
  auto request = text("greet");
  request.command.message.context_id = "one";
  request.objective = std::make_shared<objective_wish>();
  request.objective->objective.emplace().id = objective_id{"another"};
  const auto sending = all.send(std::move(request), [] {});
  const auto outcome = sending->poll(false);
  REQUIRE(outcome);
  CHECK(outcome->error().code == errc::invalid_params);
  CHECK(outcome->error().field == "message.contextId");
  sending->end();
}

TEST_CASE(
    "an object of another client gives the same error as a missing one, and its record is not read",
    "[actors][service]") {
  placing_store records;
  manual_clock clock;
  agent_registry agents;
  executor_options how;
  how.by_hand = &clock;
  gateway main_gateway(records, agents, how);
  main_gateway.start();
  const service all(main_gateway);
  for (const auto* id : {"theirs", "nobody's"}) {
    CAPTURE(id);
    told<task_ptr> got;
    all.get({.who = named("bob"), .id = task_id{id}, .view = {}}, got.to());
    CHECK(got.only().error() == unknown_task(id));
    told<task_ptr> canceled;
    all.cancel({.who = named("bob"), .id = task_id{id}, .metadata = {}}, canceled.to());
    CHECK(canceled.only().error() == unknown_task(id));
    told<stream_start> begun;
    all.subscribe({.command = {.who = named("bob"), .id = task_id{id}}, .after = {}}, new_feed(),
                  begun.to());
    CHECK(begun.only().error() == unknown_task(id));
    auto request = text("hello");
    request.command.who = named("bob");
    request.command.message.task_id = id;
    const auto sending = all.send(std::move(request), [] {});
    CHECK(sending->poll(true)->error() == unknown_task(id));
    sending->end();
  }
  CHECK(records.records_read == 0);
}

TEST_CASE("reads take turns by principal; anonymous callers take turns by address",
          "[actors][service]") {
  placing_store records;
  manual_clock clock;
  agent_registry agents;
  executor_options how;
  how.by_hand = &clock;
  gateway main_gateway(records, agents, how);
  main_gateway.start();
  const service all(main_gateway);
  const auto read_as = [&](const std::string& id, const std::string& peer) {
    principal who;
    who.id = id;
    who.peer = peer;
    told<task_ptr> got;
    all.get({.who = who, .id = task_id{"nobody's"}, .view = {}}, got.to());
    REQUIRE(got.all->size() == 1);
  };
  read_as("anonymous", "192.0.2.1");
  read_as("anonymous", "192.0.2.2");
  read_as("bob", "192.0.2.1");
  read_as("bob", "192.0.2.2");
  read_as("anonymous", "");
  REQUIRE(records.clients.size() == 5);
  CHECK(records.clients[0] != records.clients[1]);
  CHECK(records.clients[2] != records.clients[0]);
  CHECK(records.clients[2] == records.clients[3]);
  CHECK(records.clients[4].empty()); // the program's own
  CHECK_FALSE(records.clients[0].empty());
}

TEST_CASE("a principal without the scope gets nothing done", "[actors][service]") {
  clock_bed bed;
  const service all(bed.main_gateway());
  principal reader;
  reader.scopes = scope::read;
  auto request = text("go");
  request.command.who = reader;
  const auto sending = all.send(std::move(request), [] {});
  CHECK(sending->poll(true)->error().code == errc::forbidden);
  sending->end();
  told<objective_ptr> made;
  all.create({.who = reader,
              .spec = an_objective({a_plan("p", {a_task("a")})}),
              .start = true,
              .request = nullptr},
             made.to());
  CHECK(made.only().error().code == errc::forbidden);
  told<push_config> kept;
  all.create({.who = reader, .config = {}}, kept.to());
  CHECK(kept.only().error().code == errc::forbidden);
  told<objective_page> listed;
  all.list({.who = reader, .states = {}, .page_token = {}}, listed.to());
  CHECK(listed.only().has_value());
}

TEST_CASE("a command with a request id is done once and answered alike", "[actors][service]") {
  clock_bed bed;
  const service all(bed.main_gateway());
  const auto create = [&](const std::string& name, const std::string& id) {
    create_objective order{.who = {},
                           .spec = an_objective({a_plan("p", {a_task("a")})}),
                           .start = false,
                           .request = nullptr};
    order.spec.name = name;
    order.request_id = id;
    told<objective_ptr> out;
    all.create(std::move(order), out.to());
    bed.clock.settle();
    return out.only();
  };
  const auto first = create("one", "r1");
  REQUIRE(first);
  CHECK(create("one", "r1").value()->id == (*first)->id);
  CHECK(create("one", "r2").value()->id != (*first)->id);
  CHECK(create("one", "").value()->id != (*first)->id);
  CHECK(create("another", "r1").error().code == errc::duplicate_request);
  told<objective_page> listed;
  all.list({.who = {}, .states = {}, .page_token = {}}, listed.to());
  CHECK(listed.only()->objectives.size() == 3);

  const auto add = [&](const std::string& id) {
    create_plan order{
        .who = {}, .objective = (*first)->id, .spec = a_plan("q", {a_task("b")}), .start = false};
    order.request_id = id;
    told<placed_plan> out;
    all.create(std::move(order), out.to());
    bed.clock.settle();
    return out.only();
  };
  CHECK(add("r1").value().index == 1);
  CHECK(add("r1").value().index == 1);
  CHECK(add("r2").value().index == 2);
}

TEST_CASE("a text into an objective that ends at this moment is taken all the same",
          "[actors][service]") {
  const int turns = GENERATE(range(0, 12)); // Turns of actors before the text comes.
  const bool has_wish = GENERATE(false, true);
  CAPTURE(turns, has_wish);
  clock_bed bed;
  bed.agents.default_agent = "hand";
  const service all(bed.main_gateway());
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  bed.hand->of("a").port->report(report_completed{});
  for (int i = 0; i < turns; ++i)
    bed.clock.step();
  auto more = text("more");
  more.command.message.context_id = id.str();
  if (has_wish)
    more.objective = std::make_shared<objective_wish>();
  const auto sending = all.send(std::move(more), [] {});
  bed.clock.settle();
  const auto outcome = sending->poll(false);
  REQUIRE(outcome);
  REQUIRE(outcome->has_value());
  CHECK((**outcome).task->context == id.str());
  sending->end();
}

// ThreadSanitizer does not see the fence of is_unshared, so there every changed value is copied.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("the documents of a message are not copied on their way to its objective",
          "[actors][service]") {
  clock_bed bed;
  const service all(bed.main_gateway());
  auto given = text("go");
  given.objective = std::make_shared<objective_wish>();
  given.objective->objective = an_objective({a_plan("p", {a_task("a")})});
  given.objective->plan = a_plan("q", {a_task("b")});
  const auto* first = given.objective->objective->plans[0].get();
  const auto* task_of_second = &given.objective->plan->tasks[0];
  const auto sending = all.send(std::move(given), [] {});
  bed.clock.settle();
  const auto outcome = sending->poll(false);
  REQUIRE(outcome);
  REQUIRE(outcome->has_value());
  REQUIRE((**outcome).objective);
  const auto& plans = (**outcome).objective->plans;
  REQUIRE(plans.size() == 2);
  CHECK(plans[0].spec.get() == first);
  CHECK(&plans[1].spec->tasks[0] == task_of_second);
  sending->end();
}
#endif

TEST_CASE("without notifications every call about them is refused with the reason",
          "[actors][service]") {
  clock_bed bed;
  const service all(bed.main_gateway());
  told<push_config> made;
  all.create({.who = {}, .config = {}}, made.to());
  CHECK(made.only().error().code == errc::push_not_supported);
  auto request = text("go");
  request.push.emplace();
  const auto sending = all.send(std::move(request), [] {});
  CHECK(sending->poll(true)->error().code == errc::push_not_supported);
  sending->end();
}

TEST_CASE("an objective may be created with its feed, from its first change on",
          "[actors][service][feed]") {
  clock_bed bed;
  const service all(bed.main_gateway());
  create_objective command;
  command.spec = an_objective({a_plan("p", {a_task("a", {}, "hand")})});
  command.start = true;
  SECTION("new: every change comes") {
    const auto news = new_feed();
    told<objective_ptr> made;
    all.create(std::move(command), news, made.to());
    bed.clock.settle();
    REQUIRE(made.only().has_value());
    CHECK(news.use_count() == 1);
    const auto first = news->take(1 << 20);
    CHECK_FALSE(first.snapshot);
    REQUIRE_FALSE(first.frames.empty());
    CHECK(first.frames.front().news->sequence == 1);
    bed.hand->of("a").port->report(report_completed{});
    bed.clock.settle();
    CHECK_FALSE(news->take(1 << 20).frames.empty());
  }
  SECTION("done before: the snapshot stands for what came before") {
    command.request_id = "once";
    told<objective_ptr> first;
    all.create(create_objective{command}, first.to());
    bed.clock.settle();
    const auto news = new_feed();
    told<objective_ptr> again;
    all.create(std::move(command), news, again.to());
    bed.clock.settle();
    CHECK((*again.only())->id == (*first.only())->id);
    const auto shown = news->take(1 << 20);
    CHECK(shown.snapshot);
    CHECK(news->snapshot().objective->id == (*first.only())->id);
  }
  SECTION("refused: nothing is followed") {
    command.spec.plans.front() =
        std::make_shared<const plan_spec>(a_plan("p", {a_task("a", {"nobody"}, "hand")}));
    const auto news = new_feed();
    told<objective_ptr> made;
    all.create(std::move(command), news, made.to());
    bed.clock.settle();
    CHECK_FALSE(made.only().has_value());
    CHECK(news.use_count() == 1);
    CHECK(news->reader() == nullptr);
  }
}

TEST_CASE("an objective that is there is followed from its snapshot on, by its owner",
          "[actors][service][feed]") {
  clock_bed bed;
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  const service all(bed.main_gateway());
  SECTION("its owner") {
    const auto news = std::make_shared<folded_feed>();
    told<objective_ptr> begun;
    all.follow({.who = {}, .id = id}, news, begun.to());
    CHECK((*begun.only())->state == objective_state::working);
    CHECK_FALSE(news->turn(folded_feed::time_point{} + std::chrono::hours(1)));
    bed.hand->of("a").port->report(report_completed{});
    bed.clock.settle();
    CHECK(news->turn(folded_feed::time_point{} + std::chrono::hours(2)));
  }
  SECTION("another principal") {
    told<objective_ptr> begun;
    all.follow({.who = named("mallory"), .id = id}, new_feed(), begun.to());
    REQUIRE_FALSE(begun.only().has_value());
    CHECK(begun.only().error() == unknown_objective(id.str()));
  }
}

TEST_CASE("a folded feed that is let go watches no more", "[actors][service][feed]") {
  clock_bed bed;
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  auto news = std::make_shared<folded_feed>();
  const std::weak_ptr<watcher> seen = news->live();
  told<objective_ptr> begun;
  service(bed.main_gateway()).follow({.who = {}, .id = id}, news, begun.to());
  REQUIRE(begun.only().has_value());
  CHECK_FALSE(seen.expired());
  news = nullptr;
  CHECK(seen.expired());
}

TEST_CASE("a text into the context of an objective that has not begun starts all its plans",
          "[actors][service]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")}),
                                          a_plan("q", {a_task("b", {}, "hand")})}),
                            false);
  const service all(bed.main_gateway());
  auto request = text("go");
  request.command.message.context_id = id.str();
  const auto sending = all.send(std::move(request), [] {});
  bed.clock.settle();
  CHECK((**sending->poll(false)).task->id.str() == id.str() + ".p2.t0");
  CHECK(bed.objective()->state == objective_state::working);
  CHECK(bed.hand->running() == 3);
  sending->end();
}

TEST_CASE("another principal's live objective is as none to who sends into its context",
          "[actors][service][ownership]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  principal same_name; // The same id under a tenant is another principal.
  same_name.tenant = "acme";
  for (const auto& who : {named("bob"), same_name}) {
    CAPTURE(who.id, who.tenant);
    told<bool> seen;
    bed.main_gateway().has_live_objective(who, id, seen.to());
    CHECK_FALSE(seen.only().value());
    told<bool> nothing;
    bed.main_gateway().has_live_objective(who, objective_id{"nobody"}, nothing.to());
    CHECK_FALSE(nothing.only().value());
    const service all(bed.main_gateway());
    auto command = text("mine");
    command.command.who = who;
    command.command.message.context_id = id.str();
    const auto sending = all.send(std::move(command), [] {});
    bed.clock.settle();
    const auto outcome = sending->poll(true);
    REQUIRE(outcome);
    REQUIRE(outcome->has_value());
    CHECK((**outcome).task->owner == owner_of(who));
    sending->end();
    CHECK(bed.objective()->plans.size() == 1);
  }
  told<bool> own;
  bed.main_gateway().has_live_objective({}, id, own.to());
  CHECK(own.only().value());
}

TEST_CASE("a message that joins an objective keeps to the rules of messages", "[actors][service]") {
  struct painter final : agent {
    start_result start(const order_ptr&, const agent_port_ptr&) override {
      return report_completed{};
    }
    std::vector<std::string> output_modes() const override { return {"image/png"}; }
  };
  clock_bed bed;
  bed.agents.add("painter", std::make_shared<painter>());
  bed.agents.default_agent = "painter";
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  const service all(bed.main_gateway());
  const auto refusal = [&](send_request request) {
    request.command.message.context_id = id.str();
    const auto sending = all.send(std::move(request), [] {});
    bed.clock.settle();
    const auto outcome = sending->poll(false);
    REQUIRE(outcome);
    REQUIRE(outcome->has_error());
    sending->end();
    return outcome->error();
  };
  auto picky = text("go");
  picky.command.accepted_output_modes = {"audio/mpeg"};
  CHECK(refusal(picky).code == errc::content_type_not_supported);
  auto referring = text("go");
  referring.command.message.reference_task_ids = {"old"};
  referring.objective = std::make_shared<objective_wish>();
  referring.objective->plan = a_plan("q", {a_task("b")});
  CHECK(refusal(std::move(referring)).field == "message.referenceTaskIds");
  CHECK(bed.objective()->plans.size() == 1);
}
