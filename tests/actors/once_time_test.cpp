// Commands that come again, through the gateway: nothing is done twice, and each gets what the
// first led to, while that is under way, once it is done, and in a later process.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/holding_store.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/specs.hpp"

#include <functional>
#include <optional>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

send_message a_message(const std::string& text = "x", const std::string& task = {}) {
  send_message out;
  out.message.message_id = "m";
  out.message.from = role::user;
  out.message.parts.push_back(text_part(text));
  out.message.task_id = task;
  return out;
}

send_message with_key(std::string key, const std::string& text = "x") {
  auto out = a_message(text);
  out.idempotency_key = std::move(key);
  return out;
}

/// An answer, once it is there.
template<class T>
struct answer {
  std::shared_ptr<std::optional<result<T>>> value = std::make_shared<std::optional<result<T>>>();

  reply<T> to() const {
    return [value = value](result<T> got) { *value = std::move(got); };
  }
  [[nodiscard]] bool is_here() const { return value->has_value(); }
  [[nodiscard]] result<T> get() const { return value->value(); }
};

answer<sent> begin_send(clock_bed& bed, send_message command) {
  answer<sent> out;
  bed.main_gateway().send(std::move(command), nullptr, out.to());
  bed.clock.settle();
  return out;
}

result<sent> send(clock_bed& bed, send_message command) {
  return begin_send(bed, std::move(command)).get();
}

/// Answers each message itself.
class replying_agent final : public agent {
public:
  explicit replying_agent(std::size_t bytes) : bytes_(bytes) {}
  start_result start(const order_ptr&, const agent_port_ptr&) override {
    ++starts;
    message out;
    out.parts.push_back(text_part(std::string(bytes_, 'r')));
    return report_reply{std::move(out)};
  }
  int starts = 0;

private:
  const std::size_t bytes_;
};

} // namespace

TEST_CASE("a message that comes again leads to the task of the first, also in a later process",
          "[actors][once][time]") {
  clock_bed bed{{.deduplicate_seconds = 10}};
  const auto first = send(bed, a_message());
  CHECK(first->created);
  CHECK_FALSE(first->repeated);
  for (const bool is_later : {false, true}) {
    if (is_later)
      bed.stop();
    const auto again = send(bed, a_message());
    REQUIRE(again.has_value());
    CHECK(again->task == first->task);
    CHECK(again->context == first->context);
    CHECK_FALSE(again->created);
    CHECK(again->repeated);
    CHECK(send(bed, a_message("another text")).error().code == errc::invalid_params);
  }
}

TEST_CASE("a message that comes again before the first is durable waits, and its agent begins once",
          "[actors][once][time]") {
  auto owned = std::make_unique<holding_store>();
  auto& disk = *owned;
  clock_bed bed{std::move(owned), {.deduplicate_seconds = 10}, std::nullopt};
  bed.agents.default_agent = "hand";
  disk.hold();
  const auto first = begin_send(bed, a_message());
  const auto again = begin_send(bed, a_message());
  CHECK_FALSE(first.is_here());
  CHECK_FALSE(again.is_here());
  CHECK(bed.hand->attempts.size() == 1);
  disk.release();
  bed.clock.settle();
  REQUIRE((first.is_here() && again.is_here()));
  CHECK(again.get()->task == first.get()->task);
  CHECK(bed.hand->attempts.size() == 1);
}

TEST_CASE("a message whose key another process has used makes no task", "[actors][once][time]") {
  auto owned = std::make_unique<holding_store>();
  auto& disk = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  bed.agents.default_agent = "hand";
  const auto theirs = send(bed, with_key("k"));
  bed.stop();
  // What they did becomes durable after this one has looked for it.
  disk.hold();
  auto once_more = std::make_shared<once>();
  disk.read_once({once_kind::idempotency_key, "", "k"}, bed.clock.now(),
                 [&](const result<once_ptr>& found) { *once_more = **found; });
  once_more->key = "k2";
  change other;
  other.at = bed.clock.now();
  other.conditions = {once_more};
  disk.commit(std::move(other), nullptr, nullptr);
  const auto mine = begin_send(bed, with_key("k2"));
  CHECK(bed.hand->attempts.size() == 2);
  CHECK_FALSE(mine.is_here());
  disk.release();
  bed.clock.settle();
  REQUIRE(mine.is_here());
  REQUIRE(mine.get().has_value());
  CHECK(mine.get()->task == theirs->task);
  CHECK(mine.get()->repeated);
  CHECK(bed.hand->canceled.size() == 1);
  CHECK(bed.hand->attempts.back()->over);
  list_tasks all;
  CHECK(list(bed.records(), all)->total_size == 1);
}

TEST_CASE("an idempotency key is for one message of one owner, for a day", "[actors][once][time]") {
  clock_bed bed;
  const auto first = send(bed, with_key("k"));
  bed.pass(23h);
  CHECK(send(bed, with_key("k"))->task == first->task);
  const auto refused = send(bed, with_key("k", "another text"));
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == errc::idempotency_key_reused);
  CHECK(refused.error().field == "Idempotency-Key");
  auto of_another = with_key("k", "another text");
  of_another.who.id = "somebody";
  CHECK(send(bed, of_another)->task != first->task);
  CHECK(send(bed, with_key("k2"))->task != first->task);
  CHECK(send(bed, a_message())->task != first->task);
  bed.pass(1h);
  CHECK(send(bed, with_key("k", "another text"))->created);
}

TEST_CASE("what was refused may come again under its key", "[actors][once][time]") {
  clock_bed bed;
  auto wrong = with_key("k");
  wrong.message.task_id = "nobody";
  CHECK(send(bed, wrong).error().code == errc::task_not_found);
  CHECK(send(bed, with_key("k"))->created);
}

TEST_CASE("a message to a task is told once, and answered as the first when the task has ended",
          "[actors][once][time]") {
  clock_bed bed{{.deduplicate_seconds = 10}};
  bed.agents.default_agent = "hand";
  const auto task = send(bed, a_message("go"))->task;
  const auto more = a_message("more", task.str());
  CHECK(send(bed, more)->task == task);
  CHECK(send(bed, more)->task == task);
  CHECK(bed.hand->heard.size() == 1);
  bed.hand->attempts.back()->port->report(report_completed{});
  bed.clock.settle();
  const auto again = send(bed, more);
  REQUIRE(again.has_value());
  CHECK(again->task == task);
  CHECK(again->repeated);
  auto other = more;
  other.message.message_id = "other";
  CHECK(send(bed, other).error().code == errc::unsupported_operation);
}

TEST_CASE("a direct answer is given again, and a long one is kept as a task",
          "[actors][once][time]") {
  clock_bed bed{{.deduplicate_seconds = 10}};
  const auto short_one = std::make_shared<replying_agent>(10);
  const auto long_one = std::make_shared<replying_agent>(kept_answer_bytes_max);
  bed.agents.add("short", short_one);
  bed.agents.add("long", long_one);
  bed.agents.default_agent = "short";
  const auto first = send(bed, a_message());
  REQUIRE(first->answer);
  for (const bool is_later : {false, true}) {
    if (is_later)
      bed.stop();
    const auto again = send(bed, a_message());
    REQUIRE(again->answer);
    CHECK(*again->answer == *first->answer);
  }
  CHECK(short_one->starts == 1);
  bed.stop(); // a gateway has the agents that there are when it is made
  bed.agents.default_agent = "long";
  auto other = a_message();
  other.message.message_id = "m2";
  const auto made = send(bed, other);
  CHECK_FALSE(made->answer);
  CHECK(find_task(bed.records(), made->task)->artifacts.size() == 1);
  CHECK(send(bed, other)->task == made->task);
  CHECK(long_one->starts == 1);
}

// -- request_id -----------------------------------------------------------------------------------

namespace {

/// Does the command three times, the last time in a later process. Nothing happens but once.
template<class T, class Command>
void do_thrice(clock_bed& bed, Command command, void (gateway::*main_gateway)(Command, reply<T>),
               const std::function<std::string(const T&)>& shown) {
  command.request_id = "r";
  std::optional<std::string> first;
  std::optional<std::uint64_t> revision;
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    if (i == 2)
      bed.restart();
    answer<T> told;
    (bed.main_gateway().*main_gateway)(command, told.to());
    bed.clock.settle();
    REQUIRE(told.is_here());
    if (!told.get())
      FAIL(told.get().error().message);
    const auto now = shown(*told.get());
    CHECK(first.value_or(now) == now);
    first = now;
    const auto revision_now = bed.objective() ? bed.objective()->revision : 0;
    CHECK(revision.value_or(revision_now) == revision_now);
    revision = revision_now;
  }
}

const std::function<std::string(const plan_id&)> id_of_plan = [](const plan_id& id) {
  return id.str();
};
const std::function<std::string(const change_report&)> words_of_report =
    [](const change_report& report) {
      return report.plan.str() + " " + std::to_string(report.revision) + " "
             + std::to_string(report.added.size());
    };
const std::function<std::string(const objective_ptr&)> id_of_objective =
    [](const objective_ptr& view) { return view->id.str(); };
const std::function<std::string(const task_ptr&)> task_and_state = [](const task_ptr& record) {
  return record->id.str() + (record->status.state == task_state::canceled ? " canceled" : " ?");
};

} // namespace

TEST_CASE("a plan is created once for its request", "[actors][once][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  create_plan command;
  command.objective = bed.objective()->id;
  command.spec = a_plan("q", {a_task("b")});
  do_thrice<plan_id>(bed, command, &gateway::create, id_of_plan);
  CHECK(bed.objective()->plans.size() == 2);
  command.request_id = "r";
  command.spec.name = "another";
  answer<plan_id> told;
  bed.main_gateway().create(command, told.to());
  bed.clock.settle();
  CHECK(told.get().error().code == errc::duplicate_request);
  CHECK(told.get().error().field == "requestId");
}

TEST_CASE("objectives and plans are updated and changed once for their request",
          "[actors][once][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")}), a_plan("q", {a_task("b")})}),
            GENERATE(false, true));
  SECTION("an objective") {
    update_objective command;
    command.id = bed.objective()->id;
    command.edited.name = "new";
    do_thrice<objective_ptr>(bed, command, &gateway::update, id_of_objective);
    CHECK(bed.objective()->name == "new");
  }
  SECTION("a plan") {
    update_plan command;
    command.id = bed.objective()->plans[0].spec->id;
    command.edited.name = "new";
    do_thrice<plan_id>(bed, command, &gateway::update, id_of_plan);
    CHECK(bed.objective()->plans[0].spec->name == "new");
  }
  SECTION("the state of a plan") {
    update_plan command;
    command.id = bed.objective()->plans[0].spec->id;
    command.state = plan_state::failed;
    do_thrice<plan_id>(bed, command, &gateway::update, id_of_plan);
    CHECK(bed.objective()->plans[0].state == plan_state::failed);
  }
  SECTION("the shape of a plan") {
    change_plan command;
    command.id = bed.objective()->plans[0].spec->id;
    command.operations.push_back(add_task{a_task("c", {}, "hand")});
    do_thrice<change_report>(bed, command, &gateway::change, words_of_report);
    CHECK(bed.objective()->plans[0].tasks.size() == 2);
  }
}

TEST_CASE("a task is canceled once for its request, wherever it stands", "[actors][once][time]") {
  clock_bed bed;
  const bool starts = GENERATE(false, true);
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")})}),
            starts);
  cancel_task command;
  command.id = bed.objective()->plans[0].task_at(GENERATE(0U, 1U));
  command.refuses_repeated = true; // Else it would have the same answer without being known.
  do_thrice<task_ptr>(bed, command, &gateway::cancel, task_and_state);
}

TEST_CASE("an objective is created once for its request", "[actors][once][time]") {
  clock_bed bed;
  create_objective command;
  command.spec = an_objective({a_plan("p", {a_task("a", {}, "hand")})});
  command.spec.id = objective_id{"chosen"};
  command.request_id = "r";
  std::vector<answer<objective_ptr>> told(3);
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (i == 2)
      bed.stop();
    bed.main_gateway().create(command, nullptr, told[i].to());
    if (i > 0)
      bed.clock.settle();
  }
  for (const auto& one : told) {
    REQUIRE(one.is_here());
    REQUIRE(one.get().has_value());
    CHECK((*one.get())->id.str() == "chosen");
  }
}
