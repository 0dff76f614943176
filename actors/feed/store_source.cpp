#include "actors/feed/store_source.hpp"

#include "actors/feed/watch_lease.hpp"

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace troupe {

namespace {

const task_id no_task;
const principal program;

/// A task, or an objective with everything below it.
template<class Id>
class one_source final : public feed_source {
public:
  one_source(store& records, Id id, principal reader)
      : records_(records), id_(std::move(id)), reader_(std::move(reader)),
        client_(client_of(reader_)) {}

  void open(const watcher_ptr& live, feed_done<feed_snapshot> done) override {
    const auto watch = std::make_shared<watch_lease>(records_, live);
    if (live)
      note(watch);
    const auto opened = [id = id_, watch, done = std::move(done)](const auto& found) {
      if (!found)
        return done(found.error());
      if (watch->watcher())
        watch->on(id.str());
      done(snapshot_of(*found));
    };
    if constexpr (std::is_same_v<Id, task_id>)
      records_.snapshot_task(
          id_, live, [opened](const result<task_snapshot>& found) { opened(found); }, client_);
    else
      records_.snapshot_objective(
          id_, live, [opened](const result<objective_snapshot>& found) { opened(found); }, client_);
  }
  void close(const watcher_ptr& live) override {
    if (const auto watch = note(nullptr))
      watch->end();
    records_.unwatch(id_.str(), live);
  }
  void read(const std::string&, bool, const history_range& range,
            feed_done<history_page> done) const override {
    records_.read_changes(id_, range, std::move(done), client_);
  }
  const task_id& task() const noexcept override {
    if constexpr (std::is_same_v<Id, task_id>)
      return id_;
    else
      return no_task;
  }
  const principal& reader() const noexcept override { return reader_; }

private:
  static feed_snapshot snapshot_of(const task_snapshot& found) {
    return {found.record, nullptr, found.sequence};
  }
  static feed_snapshot snapshot_of(const objective_snapshot& found) {
    return {nullptr, found.view, found.sequence};
  }
  /// Keeps it in place of the one before, which it gives back.
  std::shared_ptr<watch_lease> note(std::shared_ptr<watch_lease> watch) {
    const std::lock_guard lock{guard_};
    return std::exchange(watch_, std::move(watch));
  }

  store& records_;
  const Id id_;
  const principal reader_;
  const std::string client_;
  std::mutex guard_;
  std::shared_ptr<watch_lease> watch_; ///< While it is open, or being opened.
};

class store_source final : public feed_source {
public:
  explicit store_source(store& records) : records_(records) {}

  void open(const watcher_ptr& live, feed_done<feed_snapshot> done) override {
    if (live)
      records_.watch_all(live);
    done(feed_snapshot{});
  }
  void close(const watcher_ptr& live) override { records_.unwatch_all(live); }
  void read(const std::string& stream, bool lone, const history_range& range,
            feed_done<history_page> done) const override {
    if (lone)
      records_.read_changes(task_id{stream}, range, std::move(done));
    else
      records_.read_changes(objective_id{stream}, range, std::move(done));
  }
  const task_id& task() const noexcept override { return no_task; }
  const principal& reader() const noexcept override { return program; }

private:
  store& records_;
};

} // namespace

feed_source_ptr make_task_source(store& records, task_id id, principal reader) {
  return std::make_shared<one_source<task_id>>(records, std::move(id), std::move(reader));
}

feed_source_ptr make_objective_source(store& records, objective_id id, principal reader) {
  return std::make_shared<one_source<objective_id>>(records, std::move(id), std::move(reader));
}

feed_source_ptr make_store_source(store& records) {
  return std::make_shared<store_source>(records);
}

} // namespace troupe
