#include "net/a2a/shown_objective.hpp"

#include "net/a2a/answer_size.hpp"
#include "protocol/change_size.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <span>
#include <utility>

namespace troupe::net {

namespace {

using std::chrono::nanoseconds;

nanoseconds interval_of(std::uint32_t per_second) {
  return per_second == 0 ? nanoseconds{0} : nanoseconds(std::chrono::seconds{1}) / per_second;
}

/// When the next folded event is due. Streams of the same rate are due at the same times, so that
/// they fold the same changes and share the text. One that is late waits for a whole interval.
time_point next_due(time_point now, nanoseconds interval) {
  const nanoseconds since_due = now.time_since_epoch() % interval;
  const auto due = now - since_due;
  return due + (since_due < interval / 4 ? interval : 2 * interval);
}

} // namespace

shown_objective::shown_objective(operation_call& call, std::shared_ptr<feed> source,
                                 const opt::subscribe_to_objective& asked,
                                 std::optional<opt::objective_cursor> after)
    : shown_feed(call, source), detail_(asked.detail), interval_(interval_of(asked.per_second)),
      folded_(call.server.stream_bytes.feeds()),
      at_(after.value_or(opt::objective_cursor{source->snapshot().sequence,
                                               source->snapshot().objective->revision})),
      opened_at_(source->snapshot().sequence) {
  const auto& now = *source->snapshot().objective;
  has_settled_ = is_settled(now.state);
  for (const auto& plan : now.plans)
    plans_->push_back(plan.spec);
}

bool shown_objective::add_value(std::string_view member, writer write, bool is_long) {
  const auto id = to_string(at_);
  const bool is_snapshot = member != change_member; // a change says by itself where it is
  auto write_all = [member, write = std::move(write), id, is_snapshot,
                    has_gap = std::exchange(has_gap_, false)](json_writer& out) {
    out.begin_object().key(member);
    write(out);
    if (has_gap)
      out.key("gap").boolean(true);
    if (is_snapshot)
      out.member("cursor", id);
    out.end_object();
  };
  if (is_long) {
    add_long("id: " + id + "\n", std::move(write_all));
    return false;
  }
  add_event(
      call_,
      [&](std::string& text) {
        json_writer out(text);
        write_all(out);
        return true;
      },
      id);
  return true;
}

bool shown_objective::add_snapshot(const feed& source, bool has_gap) {
  const auto shown = source.snapshot().objective;
  at_ = {opened_at_, shown->revision};
  has_gap_ = has_gap;
  const bool with_tasks = detail_ != opt::change_detail::states;
  return add_value(
      "objective",
      [shown, with_tasks](json_writer& out) {
        out.keep(shown);
        opt::write(out, *shown, true, with_tasks);
      },
      answer_size{}.add(*shown, true, with_tasks).is_long());
}

bool shown_objective::add_frame(const frame& next, const feed&) {
  if (std::exchange(part_, 1) != 0)
    return true; // It was long, and is sent.
  const auto& news = next.news;
  const auto shown_before = at_.sequence;
  for (const auto& each : news->events)
    follow(*news, each);
  at_.sequence = news->sequence;
  if (interval_.count() > 0) {
    if (!last_folded_)
      first_folded_ = shown_before + 1;
    folded_.add(news);
    last_folded_ = news;
    return true;
  }
  if (!is_shown(*news, detail_))
    return true;
  return add_change(writer_of({news}), bytes_of(*news) > shared_event_bytes_max, news, 0);
}

bool shown_objective::add_change(writer write, bool is_long, const change_ptr& last,
                                 std::uint64_t first) {
  if (is_long)
    return add_value(change_member, std::move(write), true);
  const event_texts::key which{.codec = call_.codec,
                               .detail = static_cast<std::uint8_t>(1 + static_cast<int>(detail_)),
                               .revision = at_.revision,
                               .first = first};
  add_event(
      call_,
      [&](std::string& text) {
        return call_.server.texts.append(text, last, which, [&](json_writer& out) {
          out.begin_object().key(change_member);
          write(out);
          out.end_object();
          return true;
        });
      },
      to_string(at_));
  return true;
}

/// What was folded becomes one event, once the feed has nothing more for now.
bool shown_objective::end_batch(bool more) {
  if (more)
    return true;
  // Let go of it also if nothing of it is shown: its bytes are counted nowhere else.
  const auto last = std::exchange(last_folded_, nullptr);
  if (folded_.empty())
    return true;
  const bool is_long = folded_.bytes() > shared_event_bytes_max;
  auto changes = folded_.take();
  std::erase_if(changes, [&](const change_ptr& each) { return !is_shown(*each, detail_); });
  if (changes.empty())
    return true;
  next_at_ = next_due(call_.home.now(), interval_);
  return add_change(writer_of(std::move(changes)), is_long, last, first_folded_);
}

void shown_objective::follow(const change& news, const event& one) {
  at_.revision = revision_after(at_.revision, one);
  const bool is_new = news.sequence > opened_at_; // Else the snapshot has it.
  if (const auto* moved = std::get_if<objective_moved>(&one); moved && is_new)
    has_settled_ = is_settled(moved->to());
  const auto* added = std::get_if<plan_added>(&one);
  if (!added || !added->spec || !is_new)
    return;
  auto longer = std::make_shared<std::vector<plan_spec_ptr>>(*plans_); // others may read the list
  longer->push_back(added->spec);
  plans_ = std::move(longer);
}

shown_objective::writer shown_objective::writer_of(std::vector<change_ptr> changes) const {
  return [changes = std::move(changes), at = at_, detail = detail_, plans = plans_,
          codec = call_.codec](json_writer& out) {
    const auto write_a2a = [codec](json_writer& to, const change& where, const event& happened) {
      return codec->write_event(to, where, happened, {});
    };
    opt::write_changes(out, changes, at, detail, *plans, write_a2a);
  };
}

} // namespace troupe::net
