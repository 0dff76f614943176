#include "net/a2a/task_stream.hpp"

#include "actors/service/service.hpp"
#include "net/a2a/answer_size.hpp"
#include "net/a2a/shown_objective.hpp"
#include "protocol/change_size.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/fold/rollup.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <algorithm>
#include <concepts>
#include <memory>
#include <utility>

namespace troupe::net {

namespace {

/// A snapshot of a task as an event. It owns its data.
struct snapshot_event {
  const wire_codec* codec = nullptr;
  task_ptr record;
  task_view_options view;
  objective_ptr objective;             ///< `view` refers to it.
  std::optional<stream_cursor> cursor; ///< Shown to the client; empty: none is.
  bool has_gap = false;                ///< What happened since the client's cursor is not kept.

  void write(json_writer& out) const {
    auto shown_record = record;
    if (cursor || has_gap) {
      auto marked = std::make_shared<task>(*record);
      if (cursor)
        marked->metadata[stream_cursor_key] = to_string(*cursor);
      if (has_gap)
        marked->metadata[stream_gap_key] = true;
      shown_record = std::move(marked);
    }
    out.keep(shown_record).keep(objective);
    codec->write_snapshot(out, *shown_record, view);
  }
};

/// Whether the stream is over once the task is in `state`.
bool ends_at(const task_stream& stream, task_state state) noexcept {
  return is_terminal(state) || (stream.ends_at_question && state == task_state::input_required);
}

/// Adds the end of a task that never began (its plan failed or was canceled), if it has come; true
/// if it has.
bool add_withdrawal(operation_call& call, const task& ended) {
  if (!is_terminal(ended.status.state))
    return false;
  change where;
  where.context = ended.context;
  where.task.id = ended.id;
  where.at = ended.status.at;
  const event moved = task_moved{ended.status.state, ended.attempt, ended.status.message};
  add_event(call, [&](std::string& text) {
    json_writer out(text);
    return call.codec->write_event(out, where, moved, {.last = true, .cursor = {}});
  });
  return true;
}

/// Roughly the bytes of what is shown of `record`.
std::size_t bytes_of_shown(const task& record, std::optional<std::uint32_t> history_length) {
  std::size_t sum = 0;
  for (const auto& each : record.artifacts)
    sum += bytes_of(*each);
  const auto messages =
      std::min<std::size_t>(record.history.size(), history_length.value_or(record.history.size()));
  for (auto at = record.history.end() - static_cast<std::ptrdiff_t>(messages);
       at != record.history.end(); ++at)
    sum += bytes_of(**at);
  return sum;
}

/// Whether the event is shown in pieces: `news` is long, and it is not hidden as the client's own
/// messages are.
bool is_made_in_pieces(const change& news, const event& happened) {
  if (bytes_of(news) <= shared_event_bytes_max)
    return false;
  const auto* output = std::get_if<task_artifact>(&happened);
  const auto* said = std::get_if<task_message>(&happened);
  return (output && output->artifact) || std::holds_alternative<task_moved>(happened)
         || std::holds_alternative<question_reminded>(happened) || (said && is_from_agent(*said));
}

/// The feed of a task on its way to its client.
class shown_task final : public shown_feed {
public:
  shown_task(operation_call& call, task_stream stream)
      : shown_task(call, stream, state_of(stream), has_record(stream)) {}

  /// As shown last; before that: as the task stands.
  [[nodiscard]] task_state state() const noexcept { return state_; }
  /// What it asks, if it does; else null.
  [[nodiscard]] const message_ptr& asked() const noexcept { return asked_; }
  /// The task still shows the question that was answered: it is shown with its next status.
  [[nodiscard]] bool holds_back() const noexcept { return answered_ != nullptr; }

private:
  shown_task(operation_call& call, task_stream& stream, task_state now, bool begins_with_record)
      : shown_feed(call, std::move(stream.source)), stream_(std::move(stream)), state_(now),
        begins_with_record_(begins_with_record) {}

  static bool has_record(const task_stream& stream) {
    return stream.source->snapshot().task != nullptr;
  }

  static task_state state_of(const task_stream& stream) {
    const auto& record = stream.source->snapshot().task;
    return record ? record->status.state : task_state::submitted;
  }

  bool add_snapshot(const feed& source, bool has_gap) override {
    const auto& now = source.snapshot().task;
    if (shows_answered(*now)) {
      answered_ = now;
      return true;
    }
    return add_record(now, {source.snapshot().sequence}, has_gap);
  }

  [[nodiscard]] bool shows_answered(const task& record) const {
    return record.status.state == task_state::input_required && stream_.answered != timestamp{}
           && record.status.at == stream_.answered;
  }

  /// Instead of its events, the task after the change, once it shows something else than what was
  /// answered.
  bool add_after(const change& news) {
    const auto now = std::make_shared<task>(*std::exchange(answered_, nullptr));
    apply(*now, news);
    part_ = news.events.size();
    if (!shows_answered(*now))
      return add_record(now, {news.sequence}, false);
    answered_ = now;
    return true;
  }

  /// Adds what the frame says about the task; each event is a part.
  bool add_frame(const frame& next, const feed& source) override {
    if (next.withdrawn) {
      is_over_ = add_withdrawal(call_, *next.withdrawn);
      return true;
    }
    const auto& news = next.news;
    if (answered_)
      return add_after(*news);
    part_ = std::max<std::size_t>(part_, next.first_event);
    while (part_ < news->events.size() && !is_over_) {
      const auto index = part_++;
      const auto& fact = news->events[index];
      if (const auto* made = std::get_if<task_created>(&fact)) {
        const bool is_shown = // as not begun
            begins_with_record_ && news->sequence > source.snapshot().sequence;
        if (!is_shown
            && !add_record(made->record, {news->sequence, static_cast<std::uint32_t>(index)},
                           false))
          return false;
        continue;
      }
      // Progress is sent only to clients that asked for it (docs/a2a.md, "Extensions").
      if (std::holds_alternative<task_progress>(fact) && !call_.extensions.progress)
        continue;
      const auto* moved = std::get_if<task_moved>(&fact);
      if (moved != nullptr)
        note(moved->to, moved->message);
      is_over_ = moved != nullptr && ends_at(stream_, moved->to);
      const event_texts::key which{.codec = call_.codec,
                                   .event = index,
                                   .last = is_over_,
                                   .has_cursor = call_.extensions.cursors,
                                   .hitl = call_.extensions.hitl,
                                   .opt = call_.extensions.opt};
      if (is_made_in_pieces(*news, fact)) {
        add_long({}, [news, which](json_writer& out) {
          out.keep(news);
          static_cast<void>(event_texts::write(out, *news, which));
        });
        return false;
      }
      add_event(call_,
                [&](std::string& text) { return call_.server.texts.append(text, news, which); });
    }
    return true;
  }

  bool end_batch(bool) override { return true; }

  void note(task_state now, const message_ptr& said) {
    state_ = now;
    asked_ = is_interrupted(now) ? said : nullptr;
  }

  /// Adds `record`, as it stood `at`. False if that is long.
  bool add_record(const task_ptr& record, const stream_cursor& at, bool has_gap) {
    is_over_ = ends_at(stream_, record->status.state);
    note(record->status.state, record->status.message);
    snapshot_event shown{.codec = call_.codec,
                         .record = record,
                         .view = {.history_length = stream_.history_length,
                                  .include_progress = call_.extensions.progress,
                                  .include_hitl = call_.extensions.hitl,
                                  .include_opt = call_.extensions.opt,
                                  .objective = stream_.objective.get()},
                         .objective = stream_.objective,
                         .cursor = std::nullopt,
                         .has_gap = has_gap && call_.extensions.cursors};
    if (call_.extensions.cursors && at.sequence != sequence_end)
      shown.cursor = at;
    if (answer_size{}.add(*record, shown.view).is_long())
      return !add_long_record(std::move(shown));
    add_event(call_, [&](std::string& text) {
      json_writer out(text);
      shown.write(out);
      return true;
    });
    return true;
  }

  /// The record becomes the long event. False if there is no room for it: the stream ends.
  bool add_long_record(snapshot_event shown) {
    const auto bytes = bytes_of_shown(*shown.record, stream_.history_length);
    auto hold = call_.server.snapshots.take(shown.record, bytes);
    if (!hold) {
      refuse_text(call_, bytes);
      is_over_ = true;
      return false;
    }
    add_long(
        {}, [shown = std::move(shown)](json_writer& out) { shown.write(out); }, std::move(hold),
        bytes);
    return true;
  }

  task_stream stream_;
  task_state state_;
  const bool begins_with_record_; ///< Else with the task's first change.
  message_ptr asked_;
  task_ptr answered_; ///< Held back; null: nothing is.
};

// -- the stream of a root task --------------------------------------------------------------------

/// So often at most (task-progress v1 section 6).
constexpr std::uint32_t root_changes_per_second = progress_updates_per_second_max;

/// What happens in the objective of a root task, as status updates of that task: the changes, for a
/// client that activated OPT, and how far the plans are, for one that activated Task Progress.
class shown_below final : public shown_objective {
public:
  shown_below(operation_call& call, std::shared_ptr<feed> source, objective_ptr now,
              const principal& who)
      : shown_objective(call, std::move(source),
                        {.who = who,
                         .id = now->id,
                         .detail = opt::change_detail::tasks,
                         .per_second = root_changes_per_second}),
        now_(std::move(now)), who_(who) {}

  /// The state of the root task with which what comes next is shown, and what it asks.
  void show_with(task_state state, message_ptr asked) {
    state_ = state;
    asked_ = std::move(asked);
  }

private:
  /// The first value is the objective as it stands. Its tasks are left out: the client gets them
  /// with objectives/get.
  bool add_change(writer write, bool is_long, const change_ptr&, std::uint64_t) override {
    return add_value(change_member, std::move(write), is_long);
  }
  bool add_value(std::string_view member, writer write, bool) override {
    look();
    change where;
    where.context = now_->id.str();
    where.task.id = now_->root_task;
    where.at = now_->updated;
    where.sequence = at().sequence;
    std::string value;
    if (call_.extensions.opt) {
      json_writer out(value);
      if (member == "objective")
        opt::write(out, *now_, true, false);
      else
        write(out);
    }
    const auto name = "opt/v1/" + std::string(member);
    event shown = task_moved{state_, 1, asked_}; // It goes on to ask.
    if (call_.extensions.progress)
      shown = task_progress{std::make_shared<const progress_report>(report_of(*now_))};
    const stream_mark mark{
        .member = value.empty() ? std::string_view{} : name, .value = value, .state = state_};
    add_event(call_, [&](std::string& text) {
      json_writer out(text);
      return call_.codec->write_event(out, where, shown, mark);
    });
    return true;
  }

  /// The objective lives: memory answers at once. If not, the last one is shown.
  void look() {
    awaited_reply<objective_ptr> found(call_);
    call_.operations().get(get_objective{.who = who_, .id = now_->id}, found.to());
    if (found.is_ready() && found.value())
      now_ = *found.value();
  }

  objective_ptr now_;
  task_state state_ = task_state::working;
  message_ptr asked_;
  const principal who_;
};

/// Both on one stream, which ends with the task.
class shown_root final : public event_source {
public:
  shown_root(operation_call& call, shown_task& root, shown_below& below)
      : call_(call), root_(root), below_(below) {}

  stream_step add_news() override {
    auto& text = call_.responder.stream_text();
    const bool begins_with_root = !has_begun_ || root_.is_in_event();
    auto below = stream_step::wait;
    // As it was shown last: an end is said once, and behind everything else.
    below_.show_with(root_.state(), root_.asked());
    if (!begins_with_root && !is_below_over_ && !call_.responder.is_draining())
      below = below_.add_news();
    is_below_over_ = is_below_over_ || below == stream_step::end;
    const auto before = text.size();
    const auto next = root_.add_news();
    has_begun_ = !root_.holds_back();
    if (!has_begun_)
      return next;
    if (next == stream_step::wait && (begins_with_root || below == stream_step::go_on))
      return stream_step::go_on;
    if (next != stream_step::end || is_below_over_ || begins_with_root)
      return next;
    // What led to the end stands before it.
    const auto behind = text.size();
    below_.hurry();
    while (below_.add_news() == stream_step::go_on) {
      // nop
    }
    const auto at = [&](std::size_t offset) {
      return text.begin() + static_cast<std::ptrdiff_t>(offset);
    };
    std::rotate(at(before), at(behind), text.end());
    return next;
  }

  awaitable<stream_step> begin_apart() override { return root_.begin_apart(); }
  [[nodiscard]] time_point not_before() const override { return below_.not_before(); }

private:
  operation_call& call_;
  shown_task& root_;
  shown_below& below_;
  bool has_begun_ = false; ///< The task was shown.
  bool is_below_over_ = false;
};

/// The id of the objective that the task stands for; empty: it stands for none, or the client did
/// not ask for more than the task.
objective_id shown_below_of(const operation_call& call, const task_stream& stream) {
  if (!call.extensions.opt && !call.extensions.progress)
    return {};
  if (stream.objective)
    return stream.objective->id;
  const auto& record = stream.source->snapshot().task;
  const bool is_root = record && record->metadata.contains("opt/v1/root");
  return is_root && !is_terminal(record->status.state) ? objective_id{record->context}
                                                       : objective_id{};
}

/// False if there is no such objective any more, or it cannot be read: nothing was shown.
awaitable<bool> stream_root(operation_call& call, task_stream& stream, objective_id id) {
  awaited_reply<objective_ptr> begun(call);
  auto source = make_feed(call);
  const auto* reader = stream.source->reader();
  const auto who = reader ? *reader : call.who;
  const service::subscribe_to_objective wanted{.who = who, .id = std::move(id)};
  call.operations().follow(wanted, source, begun.to());
  const bool is_here = co_await arrival(call, begun);
  if (!is_here || !begun.value() || is_settled((*begun.value())->state))
    co_return false;
  const auto now = *begun.value();
  shown_task root(call, std::move(stream));
  shown_below below(call, std::move(source), now, who);
  shown_root shown(call, root, below);
  co_await show(call, shown);
  co_return true;
}

/// A stream of the one event that `add()` adds.
template<std::invocable<> Add>
awaitable<void> show_only(operation_call& call, Add add) {
  auto& responder = call.responder;
  bool here = co_await responder.begin_stream();
  add();
  if (!responder.hold_stream(responder.stream_text().size(), 0))
    refuse_text(call, responder.stream_text().size());
  if (here)
    here = co_await responder.send_stream();
  if (here)
    co_await responder.end_stream();
}

} // namespace

std::shared_ptr<feed> make_feed(const operation_call& call) {
  const auto& options = call.server.options;
  auto out = std::make_shared<feed>(
      live_queue::bounds{options.stream_events_max, options.stream_bytes_max},
      call.server.stream_bytes.feeds());
  out->connect([reader = call.responder.wake()] { reader->notify(); });
  return out;
}

client_place take_stream(operation_call& call) {
  const auto max = call.server.options.streams_max;
  auto place =
      call.server.take_place(call.server.streams, max, call.facts.share, &client_share::streams);
  if (!place)
    fail(call, make_error(errc::overloaded,
                          (place.is_above_share
                               ? call.server.why_above_share("streams")
                               : std::to_string(max) + " streams are open (limits.streams)")
                              + "; try again later"));
  if (!place || call.server.stream_bytes.admits_stream())
    return place;
  fail(call,
       make_error(errc::overloaded, call.server.stream_bytes.why_no_room(1) + "; try again later"));
  return {};
}

awaitable<void> stream_task(operation_call& call, task_stream stream, client_place place) {
  const client_place held = std::move(place);
  if (auto below = shown_below_of(call, stream); !below.empty()) {
    const bool was_shown = co_await stream_root(call, stream, std::move(below));
    if (was_shown)
      co_return;
  }
  shown_task shown(call, std::move(stream));
  co_await show(call, shown);
}

awaitable<void> stream_answer(operation_call& call, message_ptr answer) {
  co_await show_only(call, [&] {
    add_event(call, [&](std::string& text) {
      json_writer out(text);
      call.codec->write_answer(out, *answer, call.extensions.opt);
      return true;
    });
  });
}

awaitable<void> fail_stream(operation_call& call, error why) {
  fail(call, why);
  if (call.responder.response().status != 200 || !call.frame->streams_refusals())
    co_return;
  co_await show_only(call, [&] { add_error(call, why); });
}

} // namespace troupe::net
