// What receivers are sent: each change of a task at least once, in order, and to nobody else.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

/// A change of a stream and an event in it.
using place = std::pair<std::uint64_t, std::uint64_t>;

place cursor_place(std::string_view text) {
  place out;
  const auto dot = text.find('.');
  std::from_chars(text.data(), text.data() + dot, out.first);
  std::from_chars(text.data() + dot + 1, text.data() + text.size(), out.second);
  return out;
}

using events = std::vector<stream_event>;

/// The first event of the task in the journal that the receiver does not know after a notification
/// with that place (docs/push.md): "17.0" is the end of change 17, "17.2" comes after the second
/// event of the next change of the task.
events::const_iterator first_unknown(const events& journal, place known) {
  const auto later = std::ranges::find_if(journal, [&](const stream_event& each) {
    return cursor_place(each.cursor).first > known.first;
  });
  if (known.second == 0 || later == journal.end())
    return later;
  const auto change = cursor_place(later->cursor).first;
  return std::find_if(later, journal.end(), [&](const stream_event& each) {
    return cursor_place(each.cursor) >= place{change, known.second};
  });
}

/// What one configuration has led to, as its receiver sees it.
class told {
public:
  told(const asked_push_config& asked, const events* journal) : asked_(asked), journal_(journal) {
    if (journal != nullptr)
      next_ = journal->begin();
  }

  verdict take(const notification& next) {
    const auto at = next.id.rfind('/');
    const auto task = next.id.substr(0, next.id.find('/'));
    if (next.receiver != asked_.receiver)
      return "notification " + next.id + " went to " + next.receiver + ", and was for "
             + asked_.receiver;
    if ((!asked_.task.empty() && asked_.task != task) || next.shows.task.id != task)
      return "notification " + next.id + " shows task " + next.shows.task.id
             + ", and was asked for of " + asked_.task;
    const auto [known, is_new] = bodies_.emplace(next.id, next.body);
    if (!is_new)
      return known->second == next.body
                 ? std::nullopt
                 : verdict{"notification " + next.id + " came again, with another body"};
    const auto came_at = cursor_place(std::string_view(next.id).substr(at + 1));
    if (last_ && came_at <= *last_) {
      if (asked_.is_sent_again)
        return std::nullopt; // Of the configuration before: it was still under way.
      return "notification " + next.id + " came behind a later one";
    }
    last_ = came_at;
    if (journal_ == nullptr)
      return std::nullopt;
    return is_complete_up_to(next, first_unknown(*journal_, came_at));
  }

  /// At the end of the world, when its task has ended.
  [[nodiscard]] verdict end() const {
    if (journal_ == nullptr || !asked_.is_taken || asked_.is_dropped || asked_.has_stopped)
      return std::nullopt;
    if (asked_.is_under_way)
      return "notifications of task " + asked_.task + " to " + asked_.receiver + " still wait";
    if (!last_ && !asked_.begins_task)
      return std::nullopt; // The task may have ended before.
    const auto missing = std::find_if(next_, journal_->end(),
                                      [&](const stream_event& each) { return is_told(each); });
    if (missing == journal_->end())
      return std::nullopt;
    return "change " + missing->cursor + " of task " + asked_.task + " was not posted to "
           + asked_.receiver;
  }

private:
  /// 0.3 tells no artifacts.
  [[nodiscard]] bool is_told(const stream_event& event) const {
    return !is_0_3_ || event.kind != event_kind::artifact;
  }

  [[nodiscard]] static bool shows(const notification& by, const stream_event& event) {
    if (by.is_0_3) // It shows the whole task.
      return true;
    const auto& shown = by.shows;
    if (shown.kind != event.kind)
      return false;
    return event.kind == event_kind::status
               ? shown.task.state == event.task.state
               : shown.artifact == event.artifact && shown.text == event.text
                     && shown.append == event.append;
  }

  /// All up to `until` was told: the last of it by `by`.
  verdict is_complete_up_to(const notification& by, events::const_iterator until) {
    is_0_3_ = by.is_0_3;
    const bool may_begin = !std::exchange(has_begun_, true) || asked_.is_sent_again;
    if (by.shows.kind == event_kind::snapshot && !by.is_0_3) {
      next_ = std::max(next_, until);
      return std::nullopt;
    }
    if (until == journal_->begin())
      return std::nullopt; // The creation of the task.
    auto expected = next_;
    while (expected < until && !is_told(*expected))
      ++expected;
    const auto last = std::prev(until);
    if (expected < last && (!may_begin || asked_.begins_task)) {
      const auto skipped =
          std::find_if(expected, last, [&](const stream_event& each) { return is_told(each); });
      if (skipped != last)
        return "notification " + by.id + " leaves out change " + skipped->cursor;
    }
    next_ = until;
    if (!shows(by, *last))
      return "notification " + by.id + " shows something else than change " + last->cursor;
    return std::nullopt;
  }

  const asked_push_config& asked_;
  const events* journal_; ///< Null: it is not known.
  std::map<std::string, std::size_t> bodies_;
  std::optional<place> last_;
  events::const_iterator next_; ///< The first event that was not told yet.
  bool has_begun_ = false;
  bool is_0_3_ = false;
};

} // namespace

verdict check_notifications(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  std::map<std::string, told> by_token;
  std::map<std::string, std::string> tasks;
  for (const auto& each : seen.notifications)
    tasks.emplace(each.token, each.id.substr(0, each.id.find('/')));
  for (const auto& [token, asked] : seen.push_configs) {
    const auto task = asked.task.empty() ? tasks[token] : asked.task;
    const auto found = seen.journal.find(task);
    by_token.emplace(token, told(asked, found == seen.journal.end() ? nullptr : &found->second));
  }
  for (const auto& each : seen.notifications) {
    const auto found = by_token.find(each.token);
    if (found == by_token.end())
      return "notification " + each.id + " has a token that no client gave: " + each.token;
    if (auto wrong = found->second.take(each))
      return wrong;
  }
  for (const auto& [token, each] : by_token)
    if (auto wrong = each.end())
      return wrong;
  return std::nullopt;
}

} // namespace troupe::sim
