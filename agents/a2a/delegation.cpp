#include "agents/a2a/delegation.hpp"

#include "agents/a2a/limits.hpp"
#include "agents/a2a/target_gate.hpp"
#include "client/a2a/request.hpp"
#include "client/backoff.hpp"
#include "client/sse_reader.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// The key of the question to a person.
constexpr std::string_view unsure_key = "delegation-unsure";

bool is_unsupported(errc code) noexcept {
  return code == errc::unsupported_operation || code == errc::method_not_found;
}

/// Null: a message has no place in a stream of a task.
const json::object* metadata_of(const wire::answer& frame) {
  if (const auto* whole = std::get_if<task>(&frame))
    return &whole->metadata;
  if (const auto* moved = std::get_if<wire::status_update>(&frame))
    return &moved->metadata;
  if (const auto* made = std::get_if<wire::artifact_update>(&frame))
    return &made->metadata;
  return nullptr;
}

/// The cursor of a frame; empty: it has none that could be sent back.
std::string cursor_in(const wire::answer& frame) {
  const auto* metadata = metadata_of(frame);
  auto out =
      metadata != nullptr ? std::string(text_in(*metadata, stream_cursor_key)) : std::string{};
  return net::is_event_id(out) ? out : std::string{};
}

std::string in_seconds(std::chrono::milliseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

/// A byte of a text may be six of JSON (RFC 8259 section 7: \u001f).
constexpr std::size_t json_bytes_per_byte_max = 6;

/// Of what is handed on of a frame.
std::size_t told_bytes_of(const remote_news& news) noexcept {
  std::size_t sum = 0;
  for (const auto& each : news.reports)
    if (const auto* made = std::get_if<report_artifact>(&each))
      sum += bytes_of(made->artifact);
    else if (const auto* said = std::get_if<report_message>(&each))
      sum += bytes_of(said->message);
  if (const auto& asked = news.question)
    sum += asked->prompt.size() + bytes_of(asked->form) + bytes_of(asked->data);
  return sum;
}

} // namespace

std::chrono::milliseconds pause_before_try(unsigned count, double chance) {
  constexpr std::chrono::milliseconds longest{24'000}; // half a minute with a quarter more
  return net::backoff(std::chrono::milliseconds{250}, longest, count, chance);
}

bool may_pass(errc code) noexcept {
  return code == errc::unavailable || code == errc::timed_out || code == errc::overloaded
         || code == errc::store_unreadable || code == errc::canceled;
}

bool is_unclear(const error& why) noexcept {
  switch (why.code) {
    case errc::internal:
    case errc::invalid_agent_response:
    case errc::store_failed:
    case errc::agent_failed: return true;
    case errc::too_large: return why.details.empty(); // our client's word, not HTTP status 413
    default: return false;
  }
}

delegation::delegation(delegation_terms terms, delegation_note fresh,
                       std::optional<delegation_note> note, std::vector<message_ptr> inputs,
                       std::size_t in_request)
    : terms_(std::move(terms)), look_within_(terms_.lost_after / 2),
      note_(note ? std::move(*note) : std::move(fresh)), is_known_(note.has_value()) {
  if (!is_known_)
    note_.inputs = static_cast<std::uint32_t>(in_request);
  for (std::size_t i = note_.inputs; i < inputs.size(); ++i)
    inputs_.add_left(std::move(inputs[i]));
  if (!note_.task.empty())
    remote_ = remote_task(note_.task, note_.context);
}

// -- words ----------------------------------------------------------------------------------------

std::string delegation::agent_words() const {
  return "the agent " + troupe::quoted(terms_.target);
}

std::string delegation::said(const error& why) const {
  return agent_words() + ": " + why.message;
}

// -- what is to be done ---------------------------------------------------------------------------

delegation_steps delegation::finish_turn(point now) {
  if (phase_ != phase::ended) {
    auto due = heard_at_ + terms_.lost_after;
    if (phase_ == phase::waiting || phase_ == phase::asking || phase_ == phase::noting)
      due = point::max(); // others of the target, a person, or our own disk
    if (next_ != act::none)
      due = std::min(due, act_at_);
    if (phase_ == phase::following && is_listening_ && !is_getting_ && next_ == act::none)
      due = std::min(due, std::max(heard_at_ + std::min(terms_.silence, look_within_), now));
    if (is_canceling_)
      due = std::min(due, cancel_at_);
    if (due != point::max())
      steps_.emplace_back(do_wait{due});
  }
  return std::exchange(steps_, {});
}

void delegation::later(point now, act next) {
  later(now, next, {});
}

void delegation::later(point now, act next, const error& why) {
  if (why.code != errc::none)
    note_trouble(why);
  next_ = next;
  // Those that one break stopped together do not come back together.
  const auto pause = pause_before_try(++pauses_, net::chance_of(note_.message, ++tries_));
  const auto asked_for = a2a::pause_in(why).value_or(std::chrono::milliseconds{0});
  act_at_ = now + std::max(std::min(pause, look_within_), asked_for);
}

void delegation::hear(point now) {
  heard_at_ = now;
  troubles_ = 0;
  trouble_.clear();
}

/// Our task says it once, so that nobody waits without knowing why.
void delegation::note_trouble(const error& why) {
  trouble_ = shown(why.message);
  if (++troubles_ != troubles_told || is_canceling_)
    return;
  report_message told;
  told.message.from = role::agent;
  told.message.parts = {text_part(said(why) + "; it is asked again until it has not answered for "
                                  + in_seconds(terms_.lost_after))};
  steps_.emplace_back(do_report{std::move(told)});
}

/// Whether the same message or cancel is tried again after such an answer to it.
bool delegation::bears(const error& why) {
  return may_pass(why.code) || (is_unclear(why) && ++faults_ < faults_max);
}

std::string delegation::lost_words() const {
  return agent_words() + " has not answered for " + in_seconds(terms_.lost_after)
         + (trouble_.empty() ? std::string{} : ": " + trouble_);
}

void delegation::end(agent_report how) {
  if (phase_ == phase::ended)
    return;
  if (is_listening_)
    steps_.emplace_back(do_hang_up{});
  is_listening_ = false;
  phase_ = phase::ended;
  next_ = act::none;
  steps_.emplace_back(do_report{std::move(how)});
  steps_.emplace_back(do_end{});
}

void delegation::end_canceled(cancel_outcome outcome, std::string reason) {
  end(report_canceled{outcome, std::move(reason), std::move(leaves_)});
}

void delegation::fail(std::string reason, bool retry) {
  if (is_canceling_)
    return end_canceled(outcome_.value_or(cancel_outcome::no_answer), std::move(reason));
  end(report_failed{std::move(reason), retry});
}

/// The same, while the remote task may run. If it could never be found, there is no other attempt:
/// it might be the second.
void delegation::give_up(std::string reason, bool retry) {
  if (phase_ == phase::ended)
    return;
  const bool may_run = has_sent_ || is_known_;
  const bool can_be_found =
      !note_.task.empty() || abilities_.lists || terms_.unsure == when_unsure::resend;
  if (may_run && !is_canceling_)
    steps_.emplace_back(do_cancel_later{});
  fail(std::move(reason), retry && (!may_run || can_be_found));
}

void delegation::keep(bool tells) {
  steps_.emplace_back(do_keep{write_note(note_), tells});
}

void delegation::get() {
  if (!std::exchange(is_getting_, true))
    steps_.emplace_back(do_get{});
}

void delegation::listen() {
  if (is_listening_)
    return;
  begin_listening();
  is_gapless_ = false;
  steps_.emplace_back(do_listen{});
}

/// After a break: where the stream broke, if the agent knows that; else with the task as it is.
void delegation::look_again() {
  if (!abilities_.streams || cursor_.empty() || is_listening_ || is_getting_ || is_delivering_
      || is_canceling_ || phase_ != phase::following)
    return get();
  begin_listening();
  is_resuming_ = true;
  steps_.emplace_back(do_listen{cursor_});
}

void delegation::begin_listening() {
  is_listening_ = true;
  begins_ = true;
}

void delegation::send() {
  phase_ = phase::sending;
  found_none_ = false;
  is_listening_ = false;
  if (abilities_.streams)
    begin_listening();
  is_gapless_ = false;
  steps_.emplace_back(do_send{abilities_.streams, std::exchange(has_sent_, true)});
}

/// Goes on with a task whose id is known, and whose stream is not open.
void delegation::follow() {
  phase_ = phase::following;
  get();
}

// -- the beginning --------------------------------------------------------------------------------

delegation_steps delegation::begin(point now) {
  hear(now);
  if (phase_ == phase::waiting)
    phase_ = phase::meeting;
  steps_.emplace_back(do_look_up{});
  return finish_turn(now);
}

delegation_steps delegation::on_met(point now, result<remote_abilities> met) {
  if (phase_ != phase::meeting)
    return finish_turn(now);
  if (!met) {
    if (is_known_) // a task may run there
      later(now, act::look_up, met.error());
    else
      fail(said(met.error()), may_pass(met.error().code));
    return finish_turn(now);
  }
  hear(now);
  pauses_ = 0;
  abilities_ = std::move(*met);
  if (!note_.task.empty()) {
    follow();
    send_cancel(now);
  } else if (is_known_) {
    recover();
  } else {
    note_.endpoint = abilities_.endpoint;
    phase_ = phase::noting;
    keep(true);
  }
  return finish_turn(now);
}

delegation_steps delegation::on_noted(point now) {
  if (phase_ == phase::noting) {
    hear(now); // the first try
    send();
  } else if (is_delivering_ && !is_noted_) {
    deliver_noted();
  }
  return finish_turn(now);
}

/// The request may have come through, and no id is known.
void delegation::recover() {
  if (abilities_.sends_once)
    return send();
  phase_ = phase::finding;
  if (abilities_.lists) {
    if (!std::exchange(is_getting_, true))
      steps_.emplace_back(do_find{});
    return;
  }
  if (is_canceling_)
    return end_canceled(cancel_outcome::no_answer,
                        "it is not known whether " + agent_words() + " has made a task");
  switch (terms_.unsure) {
    case when_unsure::resend: return send();
    case when_unsure::ask: return ask_person();
    case when_unsure::fail: break;
  }
  fail(
      "it is not known whether " + agent_words() + " has the task: "
          + (failure_.empty() ? "the request was cut off" : "the request failed (" + failure_ + ")")
          + ", and the agent neither lists its tasks nor knows requests that come again; "
            "\"whenUnsure\" in the input decides what follows",
      false);
}

void delegation::ask_person() {
  phase_ = phase::asking;
  asks_ = unsure_key;
  report_question asked;
  asked.key = asks_;
  asked.prompt = "It is not known whether " + agent_words()
                 + " has the task already. Send it again (\"send\"), or fail (\"fail\")?";
  asked.form = {{"type", "string"}, {"enum", {"send", "fail"}}};
  ask(std::move(asked));
}

// -- frames ---------------------------------------------------------------------------------------

delegation_steps delegation::on_event(point now, const wire::answer& frame, std::size_t bytes) {
  if (phase_ == phase::ended || !is_listening_)
    return finish_turn(now);
  follow_cursor(frame);
  const bool is_first = std::exchange(is_resuming_, false); // only that one may say so
  if (const auto* metadata = metadata_of(frame);
      is_first && metadata != nullptr && metadata->contains(stream_gap_key) && !is_canceling_) {
    report_message told;
    told.message.from = role::agent;
    told.message.parts = {text_part(agent_words() + " no longer has all that happened while the "
                                    + "connection was lost; its task is shown as it is now")};
    steps_.emplace_back(do_report{std::move(told)});
  }
  auto cursor = cursor_in(frame);
  if (cursor.empty()) // it shows what is below the task, and nothing of its course
    cursor = cursor_;
  const auto [worth, new_bytes] = take(now, frame);
  if (worth != frame_worth::dropped) {
    cursor_ = std::move(cursor);
    hear(now);
  }
  const bool is_snapshot = std::exchange(begins_, false) && std::holds_alternative<task>(frame);
  const auto of_use = is_snapshot ? bytes // the stream begins with the task as it is
                                  : new_bytes * json_bytes_per_byte_max;
  count_idle(now, worth, bytes - std::min(bytes, of_use));
  return finish_turn(now);
}

/// The stream has brought an event. `idle_bytes`: of it that are nothing new.
void delegation::count_idle(point now, frame_worth worth, std::size_t idle_bytes) {
  const bool is_idle = worth != frame_worth::news;
  const auto count = static_cast<std::uint32_t>((is_idle ? 1 : 0) + idle_bytes / idle_frame_bytes);
  if (count == 0)
    return;
  if (now >= idle_since_ + idle_frames_window) {
    idle_since_ = now;
    idle_frames_ = 0;
    idle_weight_ = 0;
  }
  idle_weight_ += count;
  if (is_idle && ++idle_frames_ > idle_frames_max && phase_ != phase::closing)
    return give_up(agent_words() + " sends without an end, and nothing new: more than "
                       + std::to_string(idle_frames_max) + " events in a minute",
                   false);
  if (idle_weight_ > idle_frames_at_once && is_listening_)
    steps_.emplace_back(do_slow_down{count});
}

/// A server with cursors shows every change of a task once, in order, or begins anew with the task
/// as it is (docs/streams.md).
void delegation::follow_cursor(const wire::answer& frame) {
  const auto* metadata = metadata_of(frame);
  is_gapless_ = metadata != nullptr && metadata->contains(stream_cursor_key)
                && (is_gapless_ || std::holds_alternative<task>(frame));
}

delegation_steps delegation::on_sent(point now, result<wire::answer> answer) {
  if (!answer)
    return on_stream_end(now, answer.error());
  hear(now);
  take(now, *answer);
  if (phase_ == phase::following)
    later(now, act::follow);
  return finish_turn(now);
}

delegation::taken_frame delegation::take(point now, const wire::answer& frame) {
  auto news = remote_.take(frame);
  if (news.taken != remote_news::verdict::taken) {
    ++dropped_;
    return {};
  }
  cursor_.clear();
  // A state that goes to and fro says nothing.
  const bool tells = !news.reports.empty() || news.question || remote_.has_ended()
                     || note_.task.empty(); // its id is new
  const taken_frame out{news.has_news && tells ? frame_worth::news : frame_worth::nothing,
                        told_bytes_of(news)};
  if (news.has_news)
    pauses_ = 0;
  if (note_.task.empty() && !news.is_reply)
    learn_id(now);
  if (!is_canceling_)
    for (auto& each : news.reports) {
      if (auto* made = std::get_if<report_artifact>(&each))
        mark(*made);
      steps_.emplace_back(do_report{std::move(each)});
    }
  if (news.has_too_many && !is_canceling_) {
    give_up(agent_words() + " has made more than " + std::to_string(remote_artifacts_max)
                + " artifacts",
            false);
    return out;
  }
  if (remote_.has_ended()) {
    take_end(news);
    return out;
  }
  if (news.question) {
    take_question(*news.question);
  } else if (news.means == remote_meaning::works) {
    question_.clear();
    answered_.clear();
    retract("the agent goes on without an answer");
  }
  if (phase_ == phase::following && !is_delivering_)
    deliver_next();
  return out;
}

/// What depends on our task may refer to the remote one (first_request). What the agent says there
/// itself is taken out: it would choose what another target is asked to look at.
void delegation::mark(report_artifact& made) const {
  made.artifact.metadata.erase(made_by_key);
  if (made.append || note_.task.empty()) // a chunk's metadata joins that of its artifact
    return;
  json::object by;
  by["target"] = terms_.target;
  by["task"] = note_.task;
  made.artifact.metadata[made_by_key] = std::move(by);
}

void delegation::learn_id(point now) {
  note_.task = remote_.id();
  if (!remote_.context().empty())
    note_.context = remote_.context();
  phase_ = phase::following;
  faults_ = 0;
  keep(false);
  send_cancel(now);
}

void delegation::take_end(const remote_news& news) {
  if (is_canceling_) {
    outcome_ = remote_.state() == task_state::canceled ? cancel_outcome::acknowledged
                                                       : cancel_outcome::already_ended;
    if (!cancel_is_out_ || cancel_is_answered_) // else the answer may tell of tasks behind it
      end_canceled(*outcome_);
    return;
  }
  is_delivering_ = false;
  retract("the agent has ended its task");
  if (!news.words.empty()) // the look at the end may not repeat those of the last event
    end_words_ = news.words;
  const auto words = [&](std::string_view plain) {
    return agent_words() + " " + std::string(plain)
           + (end_words_.empty() ? std::string{} : ": " + end_words_);
  };
  switch (meaning_of(remote_.state())) {
    case remote_meaning::completes: end_ = report_completed{{}, end_words_}; break;
    case remote_meaning::refuses: end_ = report_failed{words("rejected the task"), false}; break;
    default:
      end_ = report_failed{
          words(remote_.state() == task_state::canceled ? "canceled the task" : "failed"), true};
  }
  if (news.is_whole || news.is_reply || is_gapless_)
    return end(std::move(end_));
  phase_ = phase::closing; // its artifacts as they are at the end
  if (is_getting_)         // What comes may be older than the end.
    gets_again_ = true;
  else
    get();
}

delegation_steps delegation::on_stream_end(point now, const error& why) {
  is_listening_ = false;
  if (outcome_) // only the answer to the cancel is waited for
    return finish_turn(now);
  if (phase_ == phase::sending) {
    if (why.code == errc::unsupported_operation && abilities_.streams) {
      abilities_.streams = false; // its card says that it streams
      send();
    } else if (why.code == errc::idempotency_key_reused) {
      // It has our request, as another version of this program has written it.
      failure_ = shown(why.message);
      if (std::exchange(abilities_.sends_once, false))
        recover();
      else
        give_up(said(why), false);
    } else if (refusal_in(why)) {
      later(now, act::resend, why); // it was not taken
    } else if (bears(why)) {
      failure_ = shown(why.message);
      later(now, act::recover, why);
    } else if (is_unclear(why)) {
      give_up(said(why), true);
    } else if (is_canceling_) {
      end_canceled(cancel_outcome::already_ended, said(why)); // it was not taken
    } else {
      fail(said(why), false);
    }
  } else if (phase_ == phase::following) {
    if (std::exchange(is_resuming_, false) && !may_pass(why.code)) {
      cursor_.clear(); // it is not known there
      get();
    } else if (is_unsupported(why.code) || why.code == errc::task_not_found) {
      // It has ended, or nobody may subscribe.
      hear(now);
      abilities_.streams = false;
      get();
    } else if (why.code == errc::too_large) {
      give_up(said(why), false);
    } else if (pauses_ == 0 && !a2a::pause_in(why)) {
      ++pauses_;
      look_again();
    } else {
      later(now, act::follow, why);
    }
  }
  return finish_turn(now);
}

delegation_steps delegation::on_got(point now, result<task> got) {
  is_getting_ = false;
  if (phase_ != phase::following && phase_ != phase::closing)
    return finish_turn(now);
  if (std::exchange(gets_again_, false)) {
    get();
    return finish_turn(now);
  }
  if (!got) {
    const auto& why = got.error();
    if (phase_ == phase::closing) {
      if (why.code != errc::task_not_found && pauses_ < 5)
        later(now, act::follow, why);
      else
        end(std::move(end_)); // what was shown is what there is
    } else if (why.code == errc::task_not_found) {
      if (is_canceling_)
        end_canceled(cancel_outcome::already_ended);
      else
        fail(agent_words() + " no longer knows the task " + troupe::quoted(note_.task), true);
    } else {
      later(now, act::follow, why);
    }
    return finish_turn(now);
  }
  hear(now);
  const bool was_closing = phase_ == phase::closing;
  const bool is_taken = take(now, wire::answer{std::move(*got)}).worth != frame_worth::dropped;
  if (phase_ == phase::ended || outcome_)
    return finish_turn(now);
  if (was_closing) { // another one's task, or one that moves again
    end(std::move(end_));
  } else if (!is_taken) {
    give_up(agent_words() + " answered with another task than the one that was asked for", false);
  } else if (cancel_refused_) {
    end_canceled(cancel_outcome::refused, refusal_);
  } else {
    try_again(now);
    if (is_listening_)
      return finish_turn(now);
    if (abilities_.streams && !is_canceling_)
      listen();
    else
      later(now, act::follow);
  }
  return finish_turn(now);
}

/// Whether the request of the note has made it. Nothing else has the context of the note; an agent
/// that chooses contexts itself may show the message.
bool delegation::is_own(const task& found) const {
  return found.context == note_.context
         || std::ranges::any_of(found.history, [&](const message_ptr& each) {
              return each->message_id == note_.message;
            });
}

delegation_steps delegation::on_found(point now, result<std::vector<task>> found) {
  is_getting_ = false;
  if (phase_ != phase::finding)
    return finish_turn(now);
  if (!found) {
    if (bears(found.error())) {
      later(now, act::recover, found.error());
    } else {
      abilities_.lists = false;
      recover();
    }
    return finish_turn(now);
  }
  const auto own = std::ranges::find_if(*found, [&](const task& each) { return is_own(each); });
  if (own != found->end()) {
    hear(now);
    take(now, wire::answer{std::move(*own)});
    if (phase_ == phase::following)
      follow();
  } else if (!found->empty()) { // The agent does not look at the context: its list proves nothing.
    dropped_ += static_cast<std::uint32_t>(found->size());
    abilities_.lists = false;
    recover();
  } else if (!std::exchange(found_none_, true)) { // what was sent may arrive later
    next_ = act::recover;
    act_at_ = now + empty_list_wait;
  } else if (is_canceling_) {
    end_canceled(cancel_outcome::already_ended, "the agent has made no task");
  } else { // it is no answer to the request: what was lost is counted from the first try
    send();
  }
  return finish_turn(now);
}

// -- cancel ---------------------------------------------------------------------------------------

delegation_steps delegation::cancel(point now, std::optional<std::chrono::milliseconds> within) {
  if (phase_ == phase::ended || std::exchange(is_canceling_, true))
    return finish_turn(now);
  faults_ = 0;
  cancel_at_ = now + std::min(terms_.cancel_wait, within.value_or(terms_.cancel_wait));
  is_delivering_ = false;
  asks_.clear();
  switch (phase_) {
    case phase::waiting:
    case phase::meeting:
      if (!is_known_)
        end_canceled(cancel_outcome::acknowledged);
      break;
    case phase::noting: end_canceled(cancel_outcome::acknowledged); break;
    case phase::asking:
      end_canceled(cancel_outcome::no_answer,
                   "it is not known whether " + agent_words() + " has made a task");
      break;
    case phase::following: send_cancel(now); break;
    case phase::closing: end_canceled(cancel_outcome::already_ended); break;
    case phase::sending: // as soon as the id is known
    case phase::finding:
    case phase::ended: break;
  }
  return finish_turn(now);
}

void delegation::send_cancel(point now) {
  if (is_canceling_ && phase_ == phase::following && !std::exchange(cancel_is_out_, true))
    steps_.emplace_back(do_cancel{cancel_wait_beyond(
        std::max(std::chrono::duration_cast<std::chrono::milliseconds>(cancel_at_ - now),
                 std::chrono::milliseconds{0}))});
}

delegation_steps delegation::on_canceled(point now, result<task> answer) {
  if (phase_ == phase::ended)
    return finish_turn(now);
  if (answer) {
    hear(now);
    leaves_ = cancel_entries_in(answer->metadata);
    cancel_is_answered_ = true;
    // An answer about another task says nothing of those behind ours.
    if (take(now, wire::answer{std::move(*answer)}).worth == frame_worth::dropped)
      leaves_.clear();
    if (phase_ == phase::following && !is_listening_) // it stops
      later(now, act::follow);
  } else if (outcome_) {
    end_canceled(*outcome_);
  } else if (bears(answer.error())) {
    cancel_is_out_ = false;
    later(now, act::follow, answer.error());
  } else if (answer.error().code == errc::task_not_found) {
    end_canceled(cancel_outcome::already_ended);
  } else { // it has ended, or it cannot be stopped: the task says which
    hear(now);
    cancel_is_answered_ = true;
    cancel_refused_ = true;
    refusal_ = answer.error().message;
    get();
  }
  return finish_turn(now);
}

// -- time -----------------------------------------------------------------------------------------

delegation_steps delegation::on_time(point now) {
  if (phase_ == phase::ended)
    return finish_turn(now);
  const bool waits_for_agent = phase_ != phase::asking && phase_ != phase::noting;
  if (is_canceling_ && now >= cancel_at_) {
    if (cancel_refused_ && !outcome_)
      end_canceled(cancel_outcome::refused, refusal_);
    else
      end_canceled(outcome_.value_or(cancel_outcome::no_answer));
  } else if (waits_for_agent && now >= heard_at_ + terms_.lost_after) {
    if (phase_ == phase::closing) { // what was shown is what there is
      end(std::move(end_));
      return finish_turn(now);
    }
    give_up(lost_words(), true);
  } else if (next_ != act::none && now >= act_at_) {
    switch (std::exchange(next_, act::none)) {
      case act::look_up: steps_.emplace_back(do_look_up{}); break;
      case act::recover: recover(); break;
      case act::resend: send(); break;
      case act::follow: look_again(); break;
      case act::none: break;
    }
  } else if (next_ == act::none && phase_ == phase::following && is_listening_
             && now >= heard_at_ + std::min(terms_.silence, look_within_)) {
    get();
  }
  return finish_turn(now);
}

} // namespace troupe
