// Which questions a reader of them is told of.
#include "actors/feed/question_watch.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"

#include <memory>
#include <string>
#include <utility>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Its watchers see what the test says.
class told_store final : public passing_store {
public:
  void watch_all(const watcher_ptr& who) override { watcher = who; }
  void unwatch_all(const watcher_ptr&) override { watcher = nullptr; }

  void tell(const std::string& context, const std::string& task, event happened) const {
    auto news = std::make_shared<change>();
    news->context = context;
    news->task.id = task_id{task};
    news->events.push_back(std::move(happened));
    watcher->on_change(news);
  }

  watcher_ptr watcher;
};

event opened(const std::string& id) {
  auto asked = std::make_shared<question>();
  asked->id = id;
  return question_opened{std::move(asked)};
}

std::string words_of(const question_watch::news& news) {
  std::string out;
  for (const auto& each : news.changed)
    out += (out.empty() ? "" : " ") + each.str();
  return out;
}

} // namespace

TEST_CASE("Q10_subscribe: every change of a question is noted, each question once",
          "[actors][feed][question]") {
  told_store records;
  int notified = 0;
  question_watch watch(records, {}, [&] { ++notified; });
  records.tell("o", "a", opened("question-1"));
  records.tell("o", "a", question_answered{"question-1"});
  records.tell("o", "b", question_expired{"question-2"});
  records.tell("p", "c", question_withdrawn{"question-1", "found out"});
  records.tell("p", "c", task_noted{"n"});
  CHECK(notified == 3);
  CHECK(words_of(watch.take()) == "a.question-1 b.question-2 c.question-1");
  CHECK(words_of(watch.take()).empty());
  records.tell("o", "a", opened("question-1"));
  CHECK(words_of(watch.take()) == "a.question-1");
}

TEST_CASE("Q10_subscribe: a watch may be for one context or task", "[actors][feed][question]") {
  told_store records;
  const auto [which, told] = GENERATE(table<question_filter, std::string>(
      {{{"o", {}}, "a.question-1 b.question-1"}, {{"", task_id{"c"}}, "c.question-1"}}));
  question_watch watch(records, which, [] {});
  for (const auto& [context, task] : {std::pair{"o", "a"}, {"o", "b"}, {"p", "c"}})
    records.tell(context, task, opened("question-1"));
  CHECK(words_of(watch.take()) == told);
}

TEST_CASE("Q10_subscribe: a reader that is too slow is told that it has missed something",
          "[actors][feed][question]") {
  told_store records;
  {
    question_watch watch(records, {}, [] {});
    for (std::size_t i = 0; i <= watched_questions_max; ++i)
      records.tell("o", "t" + std::to_string(i), opened("question-1"));
    const auto missed = watch.take();
    CHECK(missed.has_missed);
    CHECK(missed.changed.empty());
    records.tell("o", "a", opened("question-1"));
    const auto later = watch.take();
    CHECK_FALSE(later.has_missed);
    CHECK(words_of(later) == "a.question-1");
  }
  CHECK(records.watcher == nullptr);
}
