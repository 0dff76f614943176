#include "agents/a2a/delegation_driver.hpp"

#include "agents/a2a/delegation_input.hpp"
#include "agents/a2a/own_traces.hpp"
#include "agents/input_check.hpp"
#include "agents/overloaded.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include "protocol/a2a/idempotent_send.hpp"
#include "protocol/a2a/request_path.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe {

namespace json = boost::json;

namespace {

/// How long the key of a request is trusted to be known: less than the 24 hours of our servers.
constexpr std::chrono::hours key_trusted{23};
/// How long a cancel is tried in the background once its attempt has ended.
constexpr std::chrono::hours cancel_kept{24};

/// Nobody hears what a cancel in the background reports.
class silent_port final : public agent_port {
public:
  void report(agent_report) override {}
  void wake_after(std::chrono::nanoseconds) override {}
};

result<json::value> first_input(const result<json::value>& page) {
  if (!page)
    return page.error();
  boost::system::error_code failed;
  const auto* first = page->find_pointer("/inputs/0", failed);
  return first == nullptr ? json::value{} : *first;
}

} // namespace

void delegation_driver::cancel_later(a2a::call_loop& loop, const time_source& time, setting given,
                                     const delegation_note& note) {
  given.order = nullptr;
  given.port = std::make_shared<silent_port>();
  given.goes_on = true;
  auto terms = given.terms;
  terms.cancel_wait = cancel_kept;
  terms.lost_after = cancel_kept;
  const auto lines = given.lines;
  auto one = std::make_shared<delegation_driver>(loop, time, std::move(given),
                                                 delegation(std::move(terms), note, note, {}, 0));
  lines->keep(note, one);
  one->begin();
  one->cancel();
}

void delegation_driver::begin() {
  queue_ = given_.lines->queue(loop_, given_.terms.target, given_.limits);
  if (given_.goes_on) {
    queue_->rejoin();
    return enter();
  }
  ticket_ = queue_->enter([self = weak_from_this()] {
    if (const auto me = self.lock())
      me->enter();
  });
}

void delegation_driver::read_on() {
  if (stream_ && !is_slowed_)
    stream_->resume();
}

void delegation_driver::slow_down(std::uint32_t events) {
  if (!stream_)
    return;
  pause_until(queue_->next_read(loop_.now(), events), [this, events] {
    // Only now: what waits for its own target is in the way of no other.
    pause_until(queue_->next_read_of_all(loop_.now(), events), [this] {
      is_slowed_ = false;
      if (is_canceled_ || given_.port->has_room()) // else on_room follows
        read_on();
    });
  });
}

void delegation_driver::pause_until(time_source::steady_point at, std::function<void()> then) {
  const auto now = loop_.now();
  if (at == now)
    return then();
  if (stream_)
    stream_->pause();
  is_slowed_ = true;
  slowing_ = loop_.after(at - now, std::move(then));
}

void delegation_driver::cancel(std::optional<std::chrono::milliseconds> within) {
  if (!is_in_ && !is_dropped_) { // nothing was sent
    given_.port->report(report_canceled{});
    return drop();
  }
  if (waits_for_cancel_ && !is_dropped_) { // nor by this attempt
    given_.port->report(
        report_canceled{cancel_outcome::no_answer, "the cancel of an earlier attempt goes on", {}});
    return drop();
  }
  is_canceled_ = true;
  read_on(); // what comes now is not reported
  if (!is_dropped_)
    given_.outbox->add(cancel_note());
  // The cancels that come at once are synced together, and sent after that.
  loop_.post([self = weak_from_this(), within] {
    const auto me = self.lock();
    if (me == nullptr)
      return;
    me->given_.outbox->sync();
    me->carry_out(me->course_.cancel(me->loop_.now(), within));
  });
}

void delegation_driver::drop() {
  if (!std::exchange(is_dropped_, true) && course_.dropped() > 0 && given_.warn)
    given_.warn("the agent " + troupe::quoted(given_.terms.target) + " sent "
                + std::to_string(course_.dropped())
                + " frames of other tasks, or after the end; they were dropped");
  ticket_.reset();
  if (std::exchange(is_in_, false))
    queue_->leave();
  if (given_.order == nullptr) // not while it is used
    loop_.post([lines = given_.lines, note = cancel_note()] { lines->let_go(note); });
  stream_.reset();
  meeting_.reset();
  reading_.reset();
  delivery_.reset();
  questioning_.reset();
  canceling_.reset();
  timer_.reset();
  pause_.reset();
  slowing_.reset();
}

void delegation_driver::enter() {
  is_in_ = true;
  ticket_.reset();
  // Not before its turn: as many lines as may be open, however many wait.
  auto line = given_.lines->open(loop_, given_.terms.target, *given_.line);
  if (!line) {
    given_.port->report(report_failed{line.error().message, false});
    return drop();
  }
  line_ = std::move(*line);
  if (!given_.goes_on)
    return begin_alone();
  carry_out(course_.begin(loop_.now()));
}

void delegation_driver::begin_alone() {
  if (is_dropped_)
    return;
  const auto& our_task = given_.order->id.str();
  if (given_.lines->is_canceling(our_task)) {
    given_.lines->wait_for_cancel(our_task, [self = weak_from_this()] {
      if (const auto me = self.lock())
        me->begin_alone();
    });
    if (!std::exchange(waits_for_cancel_, true)) {
      report_message told;
      told.message.from = role::agent;
      told.message.parts = {text_part("the agent " + troupe::quoted(given_.terms.target)
                                      + " is to cancel an earlier attempt first")};
      given_.port->report(std::move(told));
      timer_ = loop_.after(given_.terms.lost_after, [this] {
        give_up_waiting("has not answered the cancel of an earlier attempt", true);
      });
    }
    return;
  }
  timer_.reset();
  waits_for_cancel_ = false;
  if (const auto* words = given_.lines->refusal_of(our_task);
      words != nullptr && given_.terms.unsure != when_unsure::resend)
    return give_up_waiting("goes on with an earlier attempt, and there is no other beside it"
                               + (words->empty() ? std::string{} : ": " + *words),
                           false);
  carry_out(course_.begin(loop_.now()));
}

void delegation_driver::give_up_waiting(const std::string& why, bool retry) {
  given_.port->report(
      report_failed{"the agent " + troupe::quoted(given_.terms.target) + " " + why, retry});
  drop();
}

delegation_note delegation_driver::cancel_note() const {
  auto out = course_.note();
  if (given_.order != nullptr)
    out.our_task = given_.order->id.str();
  return out;
}

void delegation_driver::leave_cancel() {
  const auto note = cancel_note();
  given_.outbox->add(note); // before the end is known to anybody
  cancel_later(loop_, time_, given_, note);
}

void delegation_driver::carry_out(delegation_steps steps) {
  if (is_dropped_)
    return;
  for (auto& each : steps)
    std::visit(overloaded{
                   [&](do_look_up&) { look_up(); },
                   [&](do_keep& it) {
                     if (is_canceled_)
                       given_.outbox->add(cancel_note()); // more is known of it
                     given_.port->report(report_note{std::move(it.note), it.tells});
                   },
                   [&](do_send& it) { it.again ? send_again(it.streams) : send(it.streams); },
                   [&](do_deliver& it) { deliver(it.message); },
                   [&](do_listen& it) { subscribe(it.cursor); },
                   [&](do_get&) { get(); },
                   [&](do_find&) { find(); },
                   [&](do_read_question&) { read_question(); },
                   [&](do_cancel& it) { send_cancel(it.within); },
                   [&](do_cancel_later&) { leave_cancel(); },
                   [&](do_slow_down& it) { slow_down(it.events); },
                   [&](do_hang_up&) { stream_.reset(); },
                   [&](do_wait& it) { wait(it.until); },
                   [&](do_report& it) {
                     if (is_canceled_)
                       settle_cancel(it.report);
                     given_.port->report(std::move(it.report));
                   },
                   [&](do_end&) { drop(); },
               },
               each);
}

void delegation_driver::look_up() {
  meeting_ = line_->look_up([this](result<a2a::known_agent> met) {
    if (!met)
      return carry_out(course_.on_met(loop_.now(), met.error()));
    format_ = met->to.format;
    remote_abilities can;
    can.endpoint = std::string(wire::to_string(format_.version)) + " "
                   + std::string(wire::to_string(format_.binding)) + " " + met->to.url;
    can.streams = met->card->capabilities.streaming.value_or(false);
    const auto age = time_.now() - course_.note().at;
    can.sends_once = given_.order != nullptr && a2a::offers(*met->card, idempotent_send_extension)
                     && age < key_trusted;
    can.lists = format_.version == wire::a2a_version::v1_0;
    can.tells_questions = a2a::offers(*met->card, opt::uri);
    sends_once_ = can.sends_once;
    carry_out(course_.on_met(loop_.now(), std::move(can)));
  });
}

void delegation_driver::send_again(bool streams) {
  const auto now = loop_.now();
  pause_ = loop_.after(queue_->gate().again(now) - now, [this, streams] { send(streams); });
}

void delegation_driver::send(bool streams) {
  is_asking_ = true;
  // It is made when it is sent: many may wait for a connection. The agent may speak another
  // version than its card says.
  a2a::params_writer params = [order = given_.order, note = course_.note(),
                               path = given_.path](wire::wire_format format) {
    auto input = read_delegation_input(order->input.resolve(), input_stage::resolved);
    return wire::write_send(first_request(*order, std::move(input.value()), note, path), format);
  };
  if (streams)
    return listen(a2a::operation::send_streaming, std::move(params), headers(course_.note().key));
  ask_for_answer(delivery_, std::move(params), course_.note().key, &delegation::on_sent);
}

void delegation_driver::deliver(const message_ptr& said) {
  auto asked = course_.remote().request();
  if (!course_.note().input.empty()) // it is known as ours
    asked.reset();
  a2a::params_writer params = [said, note = course_.note(),
                               asked = std::move(asked)](wire::wire_format format) {
    return wire::write_send(further_message(*said, note, asked ? &*asked : nullptr), format);
  };
  ask_for_answer(delivery_, std::move(params), course_.note().key + "." + said->message_id,
                 &delegation::on_delivered);
}

void delegation_driver::ask_for_answer(a2a::call_handle& by, a2a::params_writer params,
                                       const std::string& key, answer_taker then) {
  by =
      line_->ask(a2a::operation::send, std::move(params), headers(key),
                 [this, then](result<json::value> answer) {
                   note_answer(answer ? error{} : answer.error());
                   format_ = line_->format();
                   carry_out((course_.*then)(
                       loop_.now(), answer ? wire::read_answer(*answer, format_) : answer.error()));
                 });
}

void delegation_driver::subscribe(const std::string& cursor) {
  auto more = headers({});
  if (!cursor.empty())
    more.emplace_back("Troupe-Cursor", cursor);
  listen(a2a::operation::subscribe_to_task, a2a::same_params(with_id()), std::move(more));
}

void delegation_driver::listen(a2a::operation which, a2a::params_writer params,
                               a2a::agent_line::headers more) {
  a2a::stream_listener to;
  to.on_event = [this](const wire::answer& frame, std::size_t bytes) {
    note_answer({});
    format_ = line_->format();
    carry_out(course_.on_event(loop_.now(), frame, bytes));
    if (stream_ && !is_canceled_ && !given_.port->has_room())
      stream_->pause(); // on_room follows
  };
  to.on_end = [this](const error& why) {
    note_answer(why);
    carry_out(course_.on_stream_end(loop_.now(), why));
  };
  stream_ = line_->listen(which, std::move(params), std::move(more), std::move(to));
}

void delegation_driver::settle_cancel(const agent_report& report) {
  const auto* how = std::get_if<report_canceled>(&report);
  if (how == nullptr)
    return;
  const auto note = cancel_note();
  if (how->outcome == cancel_outcome::refused)
    given_.lines->note_refusal(note.our_task, how->reason);
  if (how->outcome != cancel_outcome::no_answer || given_.order == nullptr)
    return given_.outbox->remove(note);
  loop_.post([&loop = loop_, &time = time_, given = given_, note] {
    cancel_later(loop, time, given, note);
  });
}

void delegation_driver::note_answer(const error& why) {
  if (!std::exchange(is_asking_, false) || queue_ == nullptr)
    return;
  if (why.code == errc::none)
    queue_->gate().accepted();
  else if (const auto no = refusal_in(why))
    queue_->gate().refused(loop_.now(), no->retry_after);
}

void delegation_driver::get() {
  reading_ = line_->ask(a2a::operation::get_task, with_id(), headers({}),
                        [this](result<json::value> answer) {
                          carry_out(course_.on_got(loop_.now(), read_task(answer)));
                        });
}

void delegation_driver::send_cancel(std::chrono::milliseconds within) {
  auto params = with_id();
  params["metadata"] = json::object{{cancel_wait_key, within.count()}};
  canceling_ = line_->ask(a2a::operation::cancel_task, std::move(params), headers({}),
                          [this](result<json::value> answer) {
                            carry_out(course_.on_canceled(loop_.now(), read_task(answer)));
                          });
}

void delegation_driver::read_question() {
  const auto& remote = course_.remote();
  json::object params{{"pageSize", 1}};
  if (remote.objective().empty())
    params["taskId"] = remote.id();
  else
    params["objectiveId"] = remote.objective();
  questioning_ = line_->ask(a2a::operation::list_inputs, std::move(params), headers({}),
                            [this](result<json::value> answer) {
                              carry_out(course_.on_question(loop_.now(), first_input(answer)));
                            });
}

void delegation_driver::find() {
  wire::task_filter filter;
  filter.context = course_.note().context;
  reading_ = line_->ask(
      a2a::operation::list_tasks, wire::write_task_filter(filter, format_), headers({}),
      [this](result<json::value> answer) {
        auto page = answer ? wire::read_task_page(*answer, format_) : answer.error();
        if (page && page->tasks.empty() && !page->next_page_token.empty())
          page = make_error(errc::invalid_agent_response, "the list of tasks is not whole");
        carry_out(course_.on_found(loop_.now(),
                                   page ? result<std::vector<task>>{page->tasks} : page.error()));
      });
}

void delegation_driver::wait(time_source::steady_point until) {
  if (until >= rings_at_)
    return;
  rings_at_ = until;
  timer_ = loop_.after(std::max(until - loop_.now(), std::chrono::steady_clock::duration::zero()),
                       [this] {
                         rings_at_ = time_source::steady_point::max(); // `timer_` runs just now
                         carry_out(course_.on_time(loop_.now()));
                       });
}

result<task> delegation_driver::read_task(const result<json::value>& answer) {
  if (!answer)
    return answer.error();
  format_ = line_->format();
  return wire::read_task(*answer, format_);
}

json::object delegation_driver::with_id() const {
  json::object out;
  out["id"] = course_.note().task;
  return out;
}

a2a::agent_line::headers delegation_driver::headers(const std::string& key) const {
  a2a::agent_line::headers out;
  if (!key.empty() && sends_once_)
    out.emplace_back("Idempotency-Key", "\"" + key + "\"");
  if (given_.order == nullptr)
    return out;
  const auto& trace = given_.order->traceparent;
  out.emplace_back("traceparent", trace.empty() ? traceparent_of(course_.note()) : trace);
  if (auto state = with_path(given_.order->tracestate, given_.path); !state.empty())
    out.emplace_back("tracestate", std::move(state));
  return out;
}

} // namespace troupe
