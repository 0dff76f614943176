#include "agents/llm/conversation.hpp"

#include "agents/llm/material.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_schema.hpp"
#include "protocol/opt/answer_text.hpp"
#include <troupe/protocol/model_usage.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr const char* answer_name = "answer";
constexpr std::string_view thought_begin = "<think>";
constexpr std::string_view thought_end = "</think>";
/// Behind more blanks than that there are no thoughts.
constexpr std::size_t blanks_before_thoughts_max = 1024;

std::string_view without_first_blanks(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// Tells texts apart, no more (FNV-1a, 64 bits, draft-eastlake-fnv).
std::uint64_t fnv_1a(std::string_view text) noexcept {
  std::uint64_t out = 0xcbf29ce484222325U;
  for (const unsigned char each : text)
    out = (out ^ each) * 0x100000001b3U;
  return out;
}

std::string hex_of(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), end};
}

std::string_view words_of(question_end how) noexcept {
  switch (how) {
    case question_end::expired: return "nobody has answered in time";
    case question_end::withdrawn: return "the question was withdrawn";
    case question_end::declined: return "the person does not answer it";
    case question_end::canceled: break;
  }
  return "the person wanted to choose nothing";
}

} // namespace

conversation::conversation(llm_terms terms, std::vector<models::chat_message> first, llm_note note,
                           std::vector<message_ptr> inputs)
    : terms_(std::move(terms)), first_(std::move(first)), note_(std::move(note)),
      inputs_(inputs.begin(), inputs.end()) {}

message message_about_call(const std::string& model, const models::call_cost& cost,
                           const std::string& how) {
  message out;
  out.from = role::agent;
  out.parts.push_back(text_part("model " + model + ": " + std::to_string(cost.usage.prompt_tokens)
                                + " + " + std::to_string(cost.usage.answer_tokens) + " tokens"
                                + (cost.usage.is_estimated ? " (estimated)" : "") + ", "
                                + std::to_string(cost.spent.time.count()) + " ms, " + how));
  json::object about;
  about["model"] = model;
  about["promptTokens"] = cost.usage.prompt_tokens;
  about["answerTokens"] = cost.usage.answer_tokens;
  about["estimated"] = cost.usage.is_estimated;
  about["milliseconds"] = cost.spent.time.count();
  about["tries"] = cost.tries;
  about["outcome"] = how;
  if (cost.spent.cost > 0)
    about["cost"] = static_cast<double>(cost.spent.cost) / 1e6;
  out.metadata[model_usage_key] = std::move(about);
  return out;
}

// -- rounds ---------------------------------------------------------------------------------------

llm_steps conversation::begin() {
  go_on();
  return finish_turn();
}

/// What follows from the last turn, which is durable.
void conversation::go_on() {
  const bool has_calls = std::ranges::any_of(note_.turns, [](const llm_turn& turn) {
    return std::ranges::any_of(turn.calls, [](const llm_call& each) { return !each.result; });
  });
  if (has_calls)
    return run_calls();
  for (const auto& each : std::exchange(inputs_, {})) // said before a restart
    on_said(*each);
  ask();
}

void conversation::ask() {
  if (note_.turns.size() >= terms_.rounds_max)
    return fail("the model " + terms_.model + " has not come to an answer in "
                    + std::to_string(terms_.rounds_max) + " rounds",
                false);
  if (bytes() > llm_conversation_bytes_max)
    return fail("the conversation is longer than " + std::to_string(llm_conversation_bytes_max)
                    + " bytes",
                false);
  add_said();
  models::chat_request request;
  request.messages = first_;
  for (const auto& each : note_.turns) {
    std::vector<models::tool_call> calls;
    for (const auto& call : each.calls)
      calls.push_back(call.call);
    request.messages.push_back({models::speaker::assistant, each.content, std::move(calls)});
    for (const auto& call : each.calls)
      request.messages.push_back(
          {models::speaker::tool, call.result.value_or(""), {}, call.call.id});
    if (!each.told.empty())
      request.messages.push_back({models::speaker::user, each.told});
  }
  request.tools = llm_tool_specs(terms_.offer);
  request.schema = terms_.schema;
  request.settings = terms_.settings;
  on_retry(); // nothing of it is shown yet
  phase_ = phase::asking;
  steps_.emplace_back(llm_ask{std::move(request)});
}

void conversation::add_turn(llm_turn turn) {
  note_.turns.push_back(std::move(turn));
  keep();
}

/// What people have said is told with the last turn.
void conversation::add_said() {
  if (said_.empty() || note_.turns.empty())
    return;
  auto& told = note_.turns.back().told;
  told += (told.empty() ? "" : "\n") + std::exchange(said_, {});
}

void conversation::keep() {
  add_said(); // the note counts it
  phase_ = phase::noting;
  steps_.emplace_back(llm_keep{write_llm_note(note_)});
}

llm_steps conversation::on_noted() {
  if (phase_ == phase::noting)
    go_on();
  return finish_turn();
}

// -- answers of the model -------------------------------------------------------------------------

llm_steps conversation::on_answer(point now, const models::call_outcome& outcome) {
  if (phase_ != phase::asking)
    return finish_turn();
  note_.spent += outcome.cost.spent;
  log(outcome);
  if (!outcome.answer) {
    const auto& why = outcome.answer.failure;
    fail("the model " + terms_.model + ": " + why.message,
         models::may_pass(why.kind) || why.kind == models::failure_kind::breaker_open
             || why.kind == models::failure_kind::unreadable);
    return finish_turn();
  }
  const auto& answer = *outcome.answer.value;
  switch (models::kind_of(answer)) {
    case models::answer_kind::text: take_text(now, answer); break;
    case models::answer_kind::calls: take_calls(answer); break;
    case models::answer_kind::too_long:
      flush(now, true);
      fail("the answer of the model " + terms_.model + " was cut off at its limit of tokens",
           false);
      break;
    case models::answer_kind::refused:
      end(report_rejected{"the model " + terms_.model + " refused: "
                          + (answer.refusal.empty() ? "without a reason" : answer.refusal)});
      break;
    case models::answer_kind::filtered:
      fail("a filter of the server removed the answer of the model " + terms_.model, false);
      break;
  }
  return finish_turn();
}

void conversation::take_text(point now, const models::chat_answer& answer) {
  if (!terms_.schema.empty())
    return take_structured(answer);
  if (thoughts_ == thoughts::unknown) // A short text that could have become a thought is none.
    buffer_ = std::exchange(held_, {});
  if (!is_shown_ && buffer_.empty())
    return fail("the model " + terms_.model + " answered with nothing", true);
  flush(now, true);
  end(report_completed{});
}

void conversation::take_structured(const models::chat_answer& answer) {
  boost::system::error_code failed;
  auto value = parse_json(models::plain_content(answer.content), failed);
  std::string fault;
  if (failed)
    fault = "it is not JSON (" + json_fault(failed) + ")";
  else if (const auto misfit = find_misfit(value, terms_.schema))
    fault = (misfit->pointer.empty() ? std::string("the value") : misfit->pointer) + " "
            + misfit->message;
  if (fault.empty()) {
    artifact made;
    made.artifact_id = answer_name;
    made.name = answer_name;
    made.parts.push_back(data_part(std::move(value)));
    return end(report_completed{{std::move(made)}, {}});
  }
  if (note_.repairs > 0)
    return fail("the answer of the model " + terms_.model + " does not fit its schema: " + fault,
                true);
  ++note_.repairs;
  add_turn({answer.content,
            {},
            "This does not fit the schema: " + fault
                + ". Answer with the corrected JSON value and nothing else."});
}

void conversation::take_calls(const models::chat_answer& answer) {
  std::size_t count = answer.calls.size();
  for (const auto& turn : note_.turns)
    count += turn.calls.size();
  if (count > llm_calls_max)
    return fail("the model " + terms_.model + " has called tools " + std::to_string(count)
                    + " times; the limit is " + std::to_string(llm_calls_max) + " (llm_calls_max)",
                false);
  llm_turn turn{answer.content};
  for (const auto& each : answer.calls)
    turn.calls.push_back({each});
  add_turn(std::move(turn));
}

// -- tools ----------------------------------------------------------------------------------------

llm_call& conversation::at(const open_call& which) {
  return note_.turns[which.turn].calls[which.index];
}

/// The name of a call: the same again after a restart, also if the conversation has begun anew.
std::string conversation::key_of_call(std::size_t turn, std::size_t index) const {
  const auto& wanted = note_.turns[turn].calls[index].call;
  std::size_t before = 0;
  for (std::size_t t = 0; t <= turn; ++t)
    for (std::size_t i = 0; i < (t < turn ? note_.turns[t].calls.size() : index); ++i) {
      const auto& other = note_.turns[t].calls[i].call;
      before += other.name == wanted.name && other.arguments == wanted.arguments ? 1 : 0;
    }
  return "llm-" + hex_of(fnv_1a(wanted.name + '\0' + wanted.arguments)) + "-"
         + std::to_string(before);
}

/// Begins all calls that have no result; they go on together.
void conversation::run_calls() {
  phase_ = phase::waiting;
  for (std::size_t turn = 0; turn < note_.turns.size(); ++turn)
    for (std::size_t i = 0; i < note_.turns[turn].calls.size(); ++i)
      if (phase_ == phase::waiting && !note_.turns[turn].calls[i].result)
        start_call(turn, i);
  end_round();
}

void conversation::start_call(std::size_t turn, std::size_t index) {
  open_call which{key_of_call(turn, index), turn, index};
  auto& call = at(which);
  auto request = read_tool_call(call.call, terms_.offer);
  if (!request)
    return refuse_call(call, request.error().message);
  which.approves =
      !call.is_approved
      && std::ranges::find(terms_.offer.approved, call.call.name) != terms_.offer.approved.end();
  if (which.approves) {
    request = approval_question(call.call);
    which.key = "approve-" + which.key;
  }
  if (auto* question = std::get_if<report_question>(&*request)) {
    which.asks = true;
    if (!inputs_.empty()) { // it was answered before a restart
      const auto answer = inputs_.front();
      inputs_.pop_front();
      return take_answer(which, *answer);
    }
    question->key = which.key;
    steps_.emplace_back(llm_report{std::move(*question)});
  } else {
    auto& change = std::get<report_change>(*request);
    change.key = which.key;
    change.reason = "wanted by the model " + terms_.model;
    steps_.emplace_back(llm_report{std::move(change)});
  }
  open_.push_back(std::move(which));
}

void conversation::refuse_call(llm_call& call, const std::string& why) {
  call.result = "error: " + why;
  if (++note_.wrong_calls >= llm_wrong_calls_max)
    fail("the model " + terms_.model + " has made " + std::to_string(llm_wrong_calls_max)
             + " wrong calls; the last one: " + why,
         false);
}

/// Once no call is under way any more, the model is asked again.
void conversation::end_round() {
  if (phase_ == phase::waiting && open_.empty())
    keep();
}

/// The call that is under way, which is so no more.
template<class Fits>
std::optional<conversation::open_call> conversation::take_open(Fits fits) {
  const auto found = std::ranges::find_if(open_, fits);
  if (phase_ != phase::waiting || found == open_.end())
    return std::nullopt;
  auto out = std::move(*found);
  open_.erase(found);
  return out;
}

void conversation::take_answer(const open_call& which, const message& answer) {
  ++note_.inputs;
  auto& call = at(which);
  if (!which.approves) {
    call.result = words_of_answer(answer);
  } else if (is_approved(answer)) {
    call.is_approved = true;
    start_call(which.turn, which.index);
  } else {
    call.result = "error: a person has not approved this call";
  }
}

llm_steps conversation::on_answered(const message& answer) {
  if (const auto asked = take_open([](const open_call& each) { return each.asks; })) {
    take_answer(*asked, answer);
    end_round();
  } else {
    on_said(answer);
  }
  return finish_turn();
}

llm_steps conversation::on_unanswered(const std::string& key, question_end how) {
  if (const auto asked = take_open([&](const open_call& each) { return each.key == key; })) {
    if (how == question_end::declined || how == question_end::canceled)
      ++note_.inputs; // it came as a message
    at(*asked).result =
        (asked->approves ? "error: this call is not approved: " : "There is no answer: ")
        + std::string(words_of(how)) + ".";
    end_round();
  }
  return finish_turn();
}

llm_steps conversation::on_changed(const change_outcome& outcome) {
  const auto wanted = take_open([&](const open_call& each) { return each.key == outcome.key; });
  if (!wanted)
    return finish_turn();
  auto& call = at(*wanted);
  if (!outcome.report) {
    call.result = "error: this is refused: " + outcome.report.error().message;
  } else if (!outcome.called.empty()) {
    call.result = told_called(outcome.called, terms_.mark);
    call.is_of_task = true;
  } else {
    call.result = "Added to the plan: " + std::to_string(outcome.report->added.size()) + ".";
  }
  end_round();
  return finish_turn();
}

void conversation::on_said(const message& said) {
  if (phase_ == phase::ended)
    return;
  ++note_.inputs;
  said_ += (said_.empty() ? "" : "\n") + words_of_answer(said);
}

// -- what is shown --------------------------------------------------------------------------------

void conversation::on_retry() {
  held_.clear();
  buffer_.clear();
  thoughts_ = thoughts::unknown;
  is_shown_ = false;
}

llm_steps conversation::on_text(point now, std::string_view text) {
  if (phase_ != phase::asking || !terms_.schema.empty())
    return finish_turn();
  if (thoughts_ == thoughts::none) {
    buffer_ += text;
  } else {
    held_ += text;
    leave_thoughts_out();
  }
  if (buffer_.empty())
    return finish_turn();
  if (now >= flush_at_)
    flush(now, false);
  else
    steps_.emplace_back(llm_wait{flush_at_});
  return finish_turn();
}

/// What is held may be thoughts, which are not shown. Looks at each byte of them once.
void conversation::leave_thoughts_out() {
  if (thoughts_ == thoughts::unknown) {
    const auto said = without_first_blanks(held_);
    const bool may_begin = said.size() < thought_begin.size() && thought_begin.starts_with(said);
    if (may_begin && held_.size() <= blanks_before_thoughts_max)
      return;
    const bool begins = said.starts_with(thought_begin);
    thoughts_ = begins ? thoughts::inside : thoughts::none;
    if (!begins)
      buffer_ = std::exchange(held_, {});
  }
  if (thoughts_ == thoughts::inside) {
    const auto end = held_.find(thought_end);
    if (end == std::string::npos) { // Its end may have begun.
      held_.erase(0, held_.size() - std::min(held_.size(), thought_end.size() - 1));
      return;
    }
    held_.erase(0, end + thought_end.size());
    thoughts_ = thoughts::behind;
  }
  if (thoughts_ == thoughts::behind) {
    buffer_ = without_first_blanks(held_);
    held_.clear();
    if (!buffer_.empty())
      thoughts_ = thoughts::none;
  }
}

llm_steps conversation::on_time(point now) {
  if (phase_ == phase::asking && now >= flush_at_ && !buffer_.empty())
    flush(now, false);
  return finish_turn();
}

void conversation::flush(point now, bool is_last) {
  if (buffer_.empty() && !(is_last && is_shown_))
    return;
  report_artifact chunk;
  chunk.artifact.artifact_id = answer_name;
  chunk.artifact.name = answer_name;
  chunk.artifact.parts.push_back(text_part(std::exchange(buffer_, {})));
  chunk.append = std::exchange(is_shown_, true);
  chunk.last_chunk = is_last;
  flush_at_ = now + llm_chunk_interval;
  steps_.emplace_back(llm_report{std::move(chunk)});
}

void conversation::log(const models::call_outcome& outcome) {
  const auto& end = outcome.answer;
  steps_.emplace_back(llm_report{report_message{message_about_call(
      terms_.model, outcome.cost,
      std::string(end ? to_string(end.value->finish) : to_string(end.failure.kind)))}});
}

// -- the end --------------------------------------------------------------------------------------

std::size_t conversation::bytes() const noexcept {
  std::size_t out = 0;
  for (const auto& turn : note_.turns) {
    out += turn.content.size() + turn.told.size();
    for (const auto& each : turn.calls)
      out += each.call.id.size() + each.call.name.size() + each.call.arguments.size()
             + (each.result ? each.result->size() : 0);
  }
  return out;
}

void conversation::end(agent_report how) {
  phase_ = phase::ended;
  steps_.emplace_back(llm_report{std::move(how)});
  steps_.emplace_back(llm_end{});
}

void conversation::fail(std::string reason, bool retry) {
  end(report_failed{std::move(reason), retry});
}

} // namespace troupe
