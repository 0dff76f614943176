#include "actors/feed/question_watch.hpp"

#include <mutex>
#include <unordered_set>
#include <utility>
#include <variant>

namespace troupe {

namespace {

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

} // namespace

class question_watch::inbox final : public watcher {
public:
  inbox(question_filter which, std::function<void()> notify)
      : which_(std::move(which)), notify_(std::move(notify)) {}

  void on_change(const change_ptr& change) override {
    if (change->task.id.empty() || (!which_.task.empty() && change->task.id != which_.task)
        || (!which_.context.empty() && change->context != which_.context))
      return;
    for (const auto& each : change->events)
      if (const auto* question = question_of(each))
        note({change->task.id, *question});
  }

  news take() {
    const std::lock_guard lock{guard_};
    known_.clear();
    return std::exchange(news_, {});
  }

private:
  void note(question_address changed) {
    {
      const std::lock_guard lock{guard_};
      if (news_.has_missed || !known_.insert(changed.str()).second)
        return;
      if (news_.changed.size() < watched_questions_max)
        news_.changed.push_back(std::move(changed));
      else
        news_ = {.changed = {}, .has_missed = true};
    }
    notify_();
  }

  const question_filter which_;
  const std::function<void()> notify_;
  std::mutex guard_;
  news news_;
  std::unordered_set<std::string> known_; ///< Those in `news_`.
};

question_watch::question_watch(store& records, question_filter which, std::function<void()> notify)
    : records_(records), inbox_(std::make_shared<inbox>(std::move(which), std::move(notify))) {
  records_.watch_all(inbox_);
}

question_watch::~question_watch() {
  records_.unwatch_all(inbox_);
}

question_watch::news question_watch::take() {
  return inbox_->take();
}

} // namespace troupe
