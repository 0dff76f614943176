// The questions of a remote task, and the messages that go to it: the part of a delegation between
// our task and the remote one, once that is known.
#include "agents/a2a/delegation.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/object.hpp>

#include <functional>
#include <string>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// The answer of a person who wants a request to be sent again.
constexpr std::string_view resend_word = "send";

json::object object_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_object() ? found->get_object() : json::object{};
}

/// The way to the task that asks: the one at `target`, then what that server says of the others.
json::array asker_of(const std::string& target, const std::string& task, json::array behind) {
  json::array out{json::object{{"target", target}, {"taskId", task}}};
  for (auto& each : behind)
    if (out.size() < cancel_path_max)
      out.push_back(std::move(each));
  return out;
}

} // namespace

// -- what the remote task asks --------------------------------------------------------------------

void delegation::take_question(const report_question& asked) {
  if (is_canceling_)
    return;
  const auto words = std::hash<std::string>{}(asked.prompt);
  if (asked.key == answered_) {
    if (words == answered_words_)
      return;
    answered_.clear(); // an agent that gives all its questions one id: this is another one
    ++asked_again_;
  }
  const bool is_asked = question_ == asked.key && !asks_.empty();
  question_ = asked.key;
  question_words_ = words;
  if (is_asked || is_delivering_ || !inputs_.empty()) // its answer is here, or on its way
    return;
  retract("the agent asks something else");
  auto own = asked;
  if (asked_again_ > 0)
    own.key += "#" + std::to_string(asked_again_);
  asks_ = own.key;
  note_.input.clear();
  if (!abilities_.tells_questions) {
    own.data[asker_key] = asker_of(terms_.target, note_.task, {});
    ask(std::move(own));
    return;
  }
  if (!std::exchange(unread_, std::move(own)))
    steps_.emplace_back(do_read_question{});
}

delegation_steps delegation::on_question(point now, const result<json::value>& first) {
  auto asked = std::exchange(unread_, std::nullopt);
  if (!asked || asked->key != asks_ || phase_ != phase::following)
    return finish_turn(now);
  std::string asking = note_.task;
  json::array behind;
  if (const auto* whole = first ? first->if_object() : nullptr) {
    if (note_.input = text_in(*whole, "id"); note_.input.size() > remote_id_bytes_max)
      note_.input.clear();                                        // it would not fit in the note
    if (!note_.input.empty() && note_.input == answered_input_) { // it is said in other words now
      note_.input.clear();
      answered_ = question_;
      answered_words_ = question_words_;
      asks_.clear();
      return finish_turn(now);
    }
    asked->prompt = text_in(*whole, "prompt");
    asked->form = object_in(*whole, "schema");
    asked->data = object_in(*whole, "data");
    asking = text_in(*whole, "taskId");
    if (const auto* path = asked->data.if_contains(asker_key); path != nullptr && path->is_array())
      behind = path->get_array();
  }
  asked->data[asker_key] = asker_of(terms_.target, asking, std::move(behind));
  ask(std::move(*asked));
  return finish_turn(now);
}

/// Our task asks it.
void delegation::ask(report_question asked) {
  inputs_.note_asked(asked.key);
  steps_.emplace_back(do_report{std::move(asked)});
}

/// Our task asks no more.
void delegation::retract(const std::string& why) {
  if (asks_.empty() || is_delivering_)
    return;
  if (unread_) { // it was not asked yet
    unread_.reset();
    asks_.clear();
    return;
  }
  note_.input.clear();
  steps_.emplace_back(do_report{report_withdrawal{std::exchange(asks_, {}), why}});
}

// -- messages to the remote task ------------------------------------------------------------------

delegation_steps delegation::on_message(point now, message_ptr said, bool answers) {
  if (phase_ == phase::ended || is_canceling_)
    return finish_turn(now);
  if (phase_ == phase::asking) {
    asks_.clear();
    inputs_.forget_questions();
    ++note_.inputs;
    hear(now);
    if (ascii_lower(text_of(said->parts)).find(resend_word) != std::string::npos)
      send();
    else
      fail("it is not known whether " + agent_words() + " has the task, and it is not sent again",
           false);
    return finish_turn(now);
  }
  inputs_.add(std::move(said), answers, asks_);
  if (phase_ == phase::following && !is_delivering_)
    deliver_next();
  return finish_turn(now);
}

void delegation::on_question_ended(const std::string& key) {
  inputs_.note_ended(key);
}

/// Of two answers to one question the first counts, and this is the second.
void delegation::drop_late_answer() {
  report_message told;
  told.message.from = role::agent;
  told.message.parts = {text_part(agent_words() + " has gone on without the answer "
                                  + troupe::quoted(text_of(inputs_.front().said->parts), 60)
                                  + ", which came too late and was not handed over")};
  steps_.emplace_back(do_report{std::move(told)});
}

/// The first message that was not handed over is written down, and then sent.
void delegation::deliver_next() {
  if (inputs_.empty() || is_canceling_)
    return;
  if (inputs_.front().is_late) {
    drop_late_answer();
    inputs_.pop();
    ++note_.inputs;
    keep(false);
    return deliver_next();
  }
  const auto& first = *inputs_.front().said;
  const bool was_under_way = !note_.answer.empty() && note_.answer == first.message_id;
  is_repeated_ = was_under_way;
  // An earlier process has handed it over. One to a known question may come twice.
  if (was_under_way && question_ != note_.question && note_.input.empty()) {
    delivered();
    return deliver_next();
  }
  is_delivering_ = true;
  is_noted_ = false;
  if (!inputs_.front().answers && !asks_.empty()) // sent before the agent asked; the answer follows
    inputs_.note_other_input(asks_);
  asks_.clear(); // our task has its answer
  note_.answer = first.message_id;
  answering_words_ = question_words_;
  if (!was_under_way || note_.input.empty()) // else another question may be open already
    note_.question = question_;
  keep(true);
}

/// The note of the first message is durable.
void delegation::deliver_noted() {
  is_noted_ = true;
  if (phase_ != phase::following || is_canceling_)
    return;
  const bool is_late = inputs_.front().answers && !is_repeated_ && note_.input.empty()
                       && !note_.question.empty() && question_ != note_.question;
  if (is_late) { // an agent that does not know its questions would take it for more input
    drop_late_answer();
    delivered();
    ask_again();
  } else {
    delivery_is_out_ = true;
    steps_.emplace_back(do_deliver{inputs_.front().said});
  }
}

/// What did not come through, now that the state is known.
void delegation::try_again(point now) {
  send_cancel(now);
  if (!is_delivering_ || !is_noted_ || delivery_is_out_)
    return;
  // An answer to a known question may come twice: the first one counts.
  if (question_ == note_.question || !note_.input.empty()) {
    is_repeated_ = true;
    delivery_is_out_ = true;
    steps_.emplace_back(do_deliver{inputs_.front().said});
  } else {
    delivered(); // it goes on: it has the answer
  }
}

delegation_steps delegation::on_delivered(point now, result<wire::answer> answer) {
  if (!is_delivering_ || phase_ == phase::ended)
    return finish_turn(now);
  delivery_is_out_ = false;
  if (!answer && bears(answer.error())) {
    later(now, act::follow, answer.error()); // its state says whether the message came through
    return finish_turn(now);
  }
  faults_ = 0;
  hear(now);
  pauses_ = 0;
  const bool has_arrived = is_repeated_ && !answer && answer.error().code == errc::already_answered;
  delivered();
  if (has_arrived) {
    get();
    return finish_turn(now);
  }
  if (!answer) {
    report_message told;
    told.message.from = role::agent;
    told.message.parts = {
        text_part(agent_words() + " refused the message: " + answer.error().message)};
    steps_.emplace_back(do_report{std::move(told)});
    ask_again();
    return finish_turn(now);
  }
  take(now, *answer);
  if (phase_ == phase::following && !is_listening_) {
    if (abilities_.streams)
      listen();
    else
      later(now, act::follow);
  }
  return finish_turn(now);
}

/// What the agent asks is asked again: it has no answer.
void delegation::ask_again() {
  answered_.clear();
  answered_input_.clear();
  ++asked_again_;
  get();
}

/// The first message has been handed over.
void delegation::delivered() {
  const bool asks_more = !question_.empty() && question_ != note_.question;
  is_delivering_ = false;
  inputs_.pop();
  ++note_.inputs;
  note_.answer.clear();
  answered_input_ = std::exchange(note_.input, {});
  answered_ = std::exchange(note_.question, {});
  answered_words_ = answering_words_;
  keep(false);
  if (asks_more)
    get(); // It was heard of meanwhile, and not asked.
  else
    question_.clear();
}

} // namespace troupe
