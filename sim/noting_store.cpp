#include "sim/noting_store.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/connection.hpp"

namespace troupe::sim {

namespace {

/// Whether the server has all bytes of a message that was sent again.
bool has_retry(const world& in, std::string_view message) {
  const auto found = in.retries.find(std::string(message));
  const auto line = found == in.retries.end() ? nullptr : found->second.lock();
  return line && line->is_taken();
}

/// The message ids of the conditions; each ends its key.
std::vector<std::string> messages_in(const change& of) {
  std::vector<std::string> out;
  for (const auto& each : of.conditions)
    if (each->kind == once_kind::message)
      out.push_back(each->key.substr(each->key.rfind(':') + 1));
  return out;
}

} // namespace

void noting_store::commit(change change, committed_fn then, watcher_ptr follow) {
  auto messages = messages_in(change);
  // If the retry is there already, this may be its own change.
  std::erase_if(messages, [this](const std::string& each) { return has_retry(in_, each); });
  if (messages.empty() || !then)
    return passing_store::commit(std::move(change), std::move(then), std::move(follow));
  const auto note = [&in = in_, messages = std::move(messages),
                     then = std::move(then)](const commit_outcome& outcome) {
    if (!in.is_dying && !outcome.conflict)
      for (const auto& each : messages)
        if (has_retry(in, each))
          in.story.reached("a message is sent again while its own first attempt is under way");
    then(outcome);
  };
  passing_store::commit(std::move(change), note, std::move(follow));
}

void noting_store::snapshot_task(const task_id& id, watcher_ptr live, read_done<task_snapshot> done,
                                 const std::string& client) {
  passing_store::snapshot_task(
      id, std::move(live),
      [this, id, done = std::move(done)](result<task_snapshot> found) {
        if (found)
          opened_at_[id.str()] = found->sequence;
        done(std::move(found));
      },
      client);
}

void noting_store::read_changes(const task_id& id, const history_range& range,
                                read_done<history_page> done, const std::string& client) const {
  // A feed that is behind reads on from what it has shown; one that was just opened, from before.
  const auto opened = opened_at_.find(id.str());
  if (is_syncing_ && is_syncing_() && opened != opened_at_.end() && range.after >= opened->second)
    in_.story.reached("a feed goes from live events to the journal while a group is syncing");
  // Notifications are read from the journal, too.
  if (in_.how.notified > 0 || !is_syncing_)
    return passing_store::read_changes(id, range, std::move(done), client);
  passing_store::read_changes(
      id, range,
      [this, done = std::move(done)](result<history_page> page) {
        if (page && !page->more && !page->changes.empty() && is_syncing_())
          in_.story.reached(
              "a stream goes from the journal to live events while a group is syncing");
        done(std::move(page));
      },
      client);
}

} // namespace troupe::sim
