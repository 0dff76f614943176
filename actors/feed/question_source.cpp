#include "actors/feed/question_source.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <variant>

namespace troupe {

namespace {

const task_id of_many_tasks;

/// The id, within its task, of the question that the event is about; null: of none.
const std::string* question_of(const event& happened) {
  if (const auto* opened = std::get_if<question_opened>(&happened))
    return opened->asked ? &opened->asked->id : nullptr;
  if (const auto* answered = std::get_if<question_answered>(&happened))
    return &answered->id;
  if (const auto* expired = std::get_if<question_expired>(&happened))
    return &expired->id;
  if (const auto* withdrawn = std::get_if<question_withdrawn>(&happened))
    return &withdrawn->id;
  if (const auto* claimed = std::get_if<question_claimed>(&happened))
    return &claimed->id;
  if (const auto* released = std::get_if<question_released>(&happened))
    return &released->id;
  if (const auto* reminded = std::get_if<question_reminded>(&happened))
    return &reminded->id;
  return nullptr;
}

/// Hands on what is about a question.
class question_watcher final : public watcher {
public:
  question_watcher(question_filter which, watcher_ptr to)
      : which_(std::move(which)), to_(std::move(to)) {}

  void on_change(const change_ptr& news) override {
    if (news->task.id.empty() || (!which_.task.empty() && news->task.id != which_.task)
        || (!which_.context.empty() && news->context != which_.context))
      return;
    if (std::ranges::any_of(news->events, question_of))
      to_->on_change(news);
  }

private:
  const question_filter which_;
  const watcher_ptr to_;
};

class question_source final : public feed_source {
public:
  question_source(store& records, question_filter which, principal reader)
      : records_(records), which_(std::move(which)), reader_(std::move(reader)) {}

  void open(const watcher_ptr& live, feed_done<feed_snapshot> done) override {
    if (live) {
      close(live); // It may begin again.
      auto watching = std::make_shared<question_watcher>(which_, live);
      records_.watch_all(watching);
      note(std::move(watching));
    }
    done(feed_snapshot{});
  }
  void close(const watcher_ptr&) override {
    if (const auto watching = note(nullptr))
      records_.unwatch_all(watching);
  }
  void read(const std::string&, bool, const history_range&,
            feed_done<history_page> done) const override {
    history_page none;
    none.gone = true;
    done(std::move(none));
  }
  const task_id& task() const noexcept override { return of_many_tasks; }
  const principal& reader() const noexcept override { return reader_; }

private:
  /// Keeps it in place of the one before, which it gives back.
  watcher_ptr note(watcher_ptr watching) {
    const std::lock_guard lock{guard_};
    return std::exchange(watching_, std::move(watching));
  }

  store& records_;
  const question_filter which_;
  const principal reader_;
  std::mutex guard_;
  watcher_ptr watching_; ///< While it is open.
};

} // namespace

feed_source_ptr make_question_source(store& records, question_filter which, principal reader) {
  return std::make_shared<question_source>(records, std::move(which), std::move(reader));
}

std::vector<question_address> questions_in(const change& news) {
  std::vector<question_address> out;
  for (const auto& each : news.events)
    if (const auto* question = question_of(each))
      out.push_back({news.task.id, *question});
  return out;
}

} // namespace troupe
