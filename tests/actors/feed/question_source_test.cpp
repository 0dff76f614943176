// The feed of questions: what it has, and what becomes of a reader that is too slow.
#include "actors/feed/feed.hpp"
#include "actors/feed/question_source.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Its watchers see what the test says.
class hand_store final : public passing_store {
public:
  void watch_all(const watcher_ptr& who) override { watcher = who; }
  void unwatch_all(const watcher_ptr&) override { watcher = nullptr; }

  void tell(const std::string& context, const std::string& task, event happened) const {
    auto news = std::make_shared<change>();
    news->context = context;
    news->task.id = task_id{task};
    news->sequence = ++sequences_[context];
    news->events.push_back(std::move(happened));
    watcher->on_change(news);
  }

  watcher_ptr watcher;

private:
  mutable std::map<std::string, std::uint64_t> sequences_;
};

event opened(const std::string& id) {
  auto asked = std::make_shared<question>();
  asked->id = id;
  return question_opened{std::move(asked)};
}

constexpr std::size_t window = 1 << 20;
constexpr std::size_t changes_max = 8;

std::unique_ptr<feed> feed_of(hand_store& records, question_filter which = {}) {
  auto out = std::make_unique<feed>(live_queue::bounds{changes_max, window},
                                    std::make_shared<feed_budget>());
  out->open(make_question_source(records, std::move(which)));
  return out;
}

std::string words_of(const feed_batch& batch) {
  std::string out;
  for (const auto& each : batch.frames)
    for (const auto& question : questions_in(*each.news))
      out += (out.empty() ? "" : " ") + question.str();
  return out;
}

} // namespace

TEST_CASE("Q10_subscribe: the feed of questions has each change of one, and no other change",
          "[actors][feed][question]") {
  hand_store records;
  const auto news = feed_of(records);
  CHECK_FALSE(news->take(window).snapshot);
  records.tell("o", "a", opened("question-1"));
  records.tell("o", "a", question_answered{"question-1"});
  records.tell("o", "b", question_expired{"question-2"});
  records.tell("p", "c", question_withdrawn{"question-1", "found out"});
  records.tell("p", "c", task_noted{"n"});
  const auto batch = news->take(window);
  CHECK(words_of(batch) == "a.question-1 a.question-1 b.question-2 c.question-1");
  CHECK(batch.frames.size() == 4);
  CHECK(batch.state == feed_state::waiting);
}

TEST_CASE("Q10_subscribe: a feed of questions may be for one context or task",
          "[actors][feed][question]") {
  hand_store records;
  const auto [which, told] = GENERATE(table<question_filter, std::string>(
      {{{"o", {}}, "a.question-1 b.question-1"}, {{"", task_id{"c"}}, "c.question-1"}}));
  const auto news = feed_of(records, which);
  for (const auto& [context, task] : {std::pair{"o", "a"}, {"o", "b"}, {"p", "c"}})
    records.tell(context, task, opened("question-1"));
  CHECK(words_of(news->take(window)) == told);
}

TEST_CASE("Q10_subscribe: a reader of questions that is too slow begins again",
          "[actors][feed][question]") {
  hand_store records;
  auto news = feed_of(records);
  for (std::size_t i = 0; i <= changes_max; ++i)
    records.tell("o", "t" + std::to_string(i), opened("question-1"));
  auto batch = news->take(window);
  CHECK(batch.frames.size() == changes_max);
  REQUIRE(batch.state == feed_state::more);
  REQUIRE(news->take(window).state == feed_state::lost);
  news->restart();
  records.tell("o", "a", opened("question-1"));
  CHECK(words_of(news->take(window)) == "a.question-1");
  CHECK(records.watcher != nullptr);
  news.reset();
  CHECK(records.watcher == nullptr);
}
