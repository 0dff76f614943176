// The answer to the cancel of a task that is done elsewhere: it waits until the cancel is durable
// and the agent has said how it went, and says so in the metadata of the task that is answered
// (`troupe/v1/cancel`; the record does not change). The task's actor and the store's writer each
// tell it their half, from their threads.
#pragma once

#include "actors/reply_port.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/store/store.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace troupe {

class cancel_answer : public std::enable_shared_from_this<cancel_answer> {
public:
  /// `target`: as the plan names it; may be empty.
  cancel_answer(store& records, task_id id, std::string target, reply_port<task_ptr> done)
      : records_(records), id_(std::move(id)), target_(std::move(target)), done_(std::move(done)) {}

  /// The cancel is durable.
  void on_committed() {
    {
      const std::lock_guard lock(guard_);
      is_committed_ = true;
    }
    answer_if_ready();
  }
  /// The cancel is not made.
  void refuse(error why) { done_(std::move(why)); }
  /// The first call counts.
  void on_outcome(cancel_outcome how, std::string reason) {
    {
      const std::lock_guard lock(guard_);
      if (entry_)
        return;
      entry_ = cancel_entry(id_.str(), target_, to_string(how), reason);
    }
    answer_if_ready();
  }

private:
  void answer_if_ready() {
    {
      const std::lock_guard lock(guard_);
      if (!is_committed_ || !entry_ || std::exchange(is_answered_, true))
        return;
    }
    records_.read_task(id_, [self = shared_from_this()](result<task_ptr> record) {
      if (!record || !*record)
        return self->done_(std::move(record));
      auto shown = **record;
      boost::json::array all;
      all.push_back(*self->entry_);
      shown.metadata[cancel_report_key] = std::move(all);
      self->done_(task_ptr{std::make_shared<const task>(std::move(shown))});
    });
  }

  store& records_;
  const task_id id_;
  const std::string target_;
  const reply_port<task_ptr> done_;
  std::mutex guard_;
  bool is_committed_ = false;
  bool is_answered_ = false;
  std::optional<boost::json::object> entry_;
};

} // namespace troupe
