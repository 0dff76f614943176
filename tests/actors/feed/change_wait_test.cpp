// Waiting for the next change of something, at most so long.
#include "actors/feed/change_wait.hpp"
#include "actors/feed/store_source.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace troupe;
using namespace troupe::testing;
using outcome = change_wait::outcome;
using namespace std::chrono_literals;

namespace {

const change_wait::time_point start{1h};

struct bed {
  std::unique_ptr<store> records = make_memory_store();
  int told = 0;

  bed() { records->commit(about_lone("t", "c", 1, born_lone("t", "c", 1))); }
  [[nodiscard]] std::unique_ptr<change_wait> wait(change_test test, const std::string& id = "t") {
    return std::make_unique<change_wait>(make_task_source(*records, task_id{id}), test, start + 10s,
                                         [this] { ++told; });
  }
  void put(event news) { records->commit(about_lone("t", "c", 2, std::move(news))); }
};

/// A wait for a question: it is closed, or its task has moved to a state that asks nothing.
bool may_close_question(const change& news) noexcept {
  return std::any_of(news.events.begin(), news.events.end(), [](const event& each) {
    const auto* moved = std::get_if<task_moved>(&each);
    return (moved != nullptr && !is_interrupted(moved->to))
           || std::holds_alternative<question_answered>(each)
           || std::holds_alternative<question_expired>(each)
           || std::holds_alternative<question_withdrawn>(each);
  });
}

} // namespace

TEST_CASE("a wait ends with the change it is for, and not with others", "[actors][feed]") {
  bed here;
  const auto waiting = here.wait(may_end_waiting);
  REQUIRE(waiting->begun());
  CHECK((*waiting->begun())->task->status.state == task_state::submitted);
  here.told = 0;
  here.put(moved(task_state::working));
  here.put(task_message{say("hm")});
  CHECK(here.told == 0);
  CHECK(waiting->look(start) == outcome::waiting);
  here.put(moved(task_state::input_required));
  here.put(moved(task_state::completed));
  CHECK(here.told == 1);
  CHECK(waiting->look(start) == outcome::changed);
  CHECK(waiting->look(start + 1h) == outcome::changed);
}

TEST_CASE("a wait lasts as long as it may, and no longer", "[actors][feed]") {
  bed here;
  const auto waiting = here.wait(is_any_change);
  CHECK(waiting->look(start + 9s) == outcome::waiting);
  CHECK(waiting->look(start + 10s) == outcome::late);
  here.put(moved(task_state::working));
  CHECK(waiting->look(start + 10s) == outcome::changed);
}

TEST_CASE("only later changes end a wait, and a canceled wait gets no notification",
          "[actors][feed]") {
  bed here;
  here.put(moved(task_state::input_required));
  auto waiting = here.wait(may_end_waiting);
  CHECK(waiting->look(start) == outcome::waiting);
  here.told = 0;
  waiting = nullptr;
  here.put(moved(task_state::completed));
  CHECK(here.told == 0);
}

TEST_CASE("a wait for a question ends when it is closed", "[actors][feed]") {
  bed here;
  question asked;
  asked.id = make_question_id(0);
  here.put(question_opened{std::make_shared<const question>(asked)});
  const auto closing =
      GENERATE_COPY(event{question_answered{asked.id}}, event{question_expired{asked.id}},
                    event{question_withdrawn{asked.id, ""}}, event{moved(task_state::working)});
  const auto waiting = here.wait(may_close_question);
  here.told = 0;
  here.put(moved(task_state::input_required));
  here.put(task_message{say("hm")});
  CHECK(here.told == 0);
  CHECK(waiting->look(start) == outcome::waiting);
  here.put(closing);
  CHECK(here.told == 1);
  CHECK(waiting->look(start) == outcome::changed);
}

TEST_CASE("for what is unknown there is nothing to wait", "[actors][feed]") {
  bed here;
  const auto waiting = here.wait(is_any_change, "other");
  REQUIRE(waiting->begun());
  CHECK(waiting->begun()->error().code == errc::task_not_found);
}

TEST_CASE("a wait for a task that never begins ends with its plan", "[actors][feed]") {
  const auto records = make_memory_store();
  const auto spec = make_objective("o", {2});
  records->commit(about("o", 1, objective_created{spec, {}}));
  int told = 0;
  const change_wait waiting(make_task_source(*records, spec->plans[0]->tasks[1].id),
                            may_end_waiting, start, [&] { ++told; });
  told = 0;
  records->commit(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2)));
  CHECK(told == 0);
  records->commit(about("o", 3, tasks_withdrawn{0, {1}, task_state::canceled, "why"}));
  CHECK(told == 1);
}
