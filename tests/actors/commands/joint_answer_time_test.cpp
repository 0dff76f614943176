// Answers to several questions in one message, in many orders of the actors' turns.
#include "protocol/opt/given_answers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

#include <boost/json/array.hpp>

#include <map>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// An objective whose tasks a, b and c ask. It keeps the outcome of each message by its id.
struct asking_bed : clock_bed {
  explicit asking_bed(std::uint64_t seed) : clock_bed({}, seed) {
    begin(an_objective({a_plan(
        "p", {a_task("a", {}, "hand"), a_task("b", {}, "hand"), a_task("c", {}, "hand")})}));
    for (const auto* name : {"a", "b", "c"})
      report(name, report_question{"which?", false, "key"});
    clock.settle();
  }

  /// One answer for each of the tasks, all in one message.
  void answer_all(const std::string& message_id, const std::vector<std::string>& names) {
    boost::json::array answers;
    for (const auto& name : names)
      answers.push_back(
          boost::json::object{{"inputId", question_address{task(name)->id, "question-1"}.str()}});
    auto command = message_to(message_id, names.front());
    command.message.metadata[answers_key] = std::move(answers);
    send(message_id, std::move(command));
  }
  void answer(const std::string& message_id, const std::string& name) {
    send(message_id, message_to(message_id, name));
  }

  /// The tasks that took the message as their answer.
  [[nodiscard]] std::vector<std::string> takers(const std::string& message_id) const {
    std::vector<std::string> out;
    for (const auto* name : {"a", "b", "c"}) {
      const auto record = task(name);
      const auto* closed = find_closed(*record, "question-1");
      if (closed != nullptr && closed->state == question_state::answered
          && closed->message == message_id)
        out.emplace_back(name);
    }
    return out;
  }

  std::map<std::string, result<sent>> outcomes;

private:
  [[nodiscard]] send_message message_to(const std::string& message_id,
                                        const std::string& name) const {
    send_message out;
    out.message.message_id = message_id;
    out.message.from = role::user;
    out.message.parts.push_back(text_part("this"));
    out.message.task_id = task(name)->id.str();
    return out;
  }
  void send(const std::string& message_id, send_message command) {
    main_gateway().send(std::move(command), nullptr, [this, message_id](result<sent> outcome) {
      outcomes.emplace(message_id, std::move(outcome));
    });
  }
};

} // namespace

TEST_CASE("Q9_several: all answers of a message are taken, or none, whatever happens beside it",
          "[actors][time][question]") {
  int taken = 0;
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    asking_bed bed(seed);
    bed.answer_all("all", {"a", "b", "c"});
    if (seed % 2 == 0)
      bed.answer_all("two", {"c", "a"});
    if (seed % 3 == 0)
      bed.answer("one", "b");
    if (seed % 5 == 0)
      bed.hand->of("a").port->report(report_withdrawal{"key", "found out"});
    if (seed % 7 == 0)
      bed.main_gateway().cancel(cancel_task{{}, bed.task("c")->id, {}},
                                [](const result<task_ptr>&) {});
    bed.clock.settle();
    const std::map<std::string, std::vector<std::string>> wanted{{"all", {"a", "b", "c"}},
                                                                 {"two", {"a", "c"}}};
    for (const auto& [message_id, names] : wanted) {
      if (message_id == "two" && seed % 2 != 0)
        continue;
      CAPTURE(message_id);
      REQUIRE(bed.outcomes.contains(message_id));
      const bool is_taken = bed.outcomes.at(message_id).has_value();
      CHECK(bed.takers(message_id) == (is_taken ? names : std::vector<std::string>{}));
      ++(is_taken ? taken : refused);
    }
    // What waited for the decision has its answer, too.
    if (seed % 3 == 0)
      REQUIRE(bed.outcomes.contains("one"));
  }
  CHECK(taken > 20);
  CHECK(refused > 20);
}

TEST_CASE("Q9_several: a task whose answer was not taken can be answered again",
          "[actors][time][question]") {
  asking_bed bed(1);
  bed.answer_all("all", {"a", "b"});
  bed.clock.settle();
  REQUIRE(bed.outcomes.at("all").has_value());
  bed.answer_all("again", {"b", "c"});
  bed.clock.settle();
  REQUIRE(bed.outcomes.at("again").has_error());
  CHECK(bed.outcomes.at("again").error().code == errc::already_answered);
  bed.answer("last", "c");
  bed.clock.settle();
  CHECK(bed.takers("last") == std::vector<std::string>{"c"});
}
