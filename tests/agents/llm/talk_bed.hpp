// A conversation that a test leads, step by step, and its steps as a line.
#pragma once

#include "agents/llm/conversation.hpp"
#include "tests/agents/fake_port.hpp"

#include <boost/json/serialize.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::test {

using namespace std::chrono_literals;
using models::speaker;

inline std::string word_of(const llm_step& step) {
  struct {
    std::string operator()(const llm_ask&) const { return "ask model"; }
    std::string operator()(const llm_keep&) const { return "keep"; }
    std::string operator()(const llm_wait&) const { return "wait"; }
    std::string operator()(const llm_end&) const { return "end"; }
    std::string operator()(const llm_report& it) const {
      if (const auto* asked = std::get_if<report_question>(&it.report))
        return "ask person: " + asked->prompt;
      if (const auto* chunk = std::get_if<report_artifact>(&it.report))
        return (chunk->append ? "append: " : "begin: ") + text_of(chunk->artifact.parts)
               + (chunk->last_chunk ? "|" : "");
      if (const auto* done = std::get_if<report_completed>(&it.report))
        return done->artifacts.empty()
                   ? "completed"
                   : "completed: "
                         + boost::json::serialize(
                             std::get<data_content>(done->artifacts[0].parts[0].content).data);
      if (std::holds_alternative<report_message>(it.report))
        return "log";
      if (const auto* change = std::get_if<report_change>(&it.report))
        return std::string(change->waits ? "call: " : "add: ")
               + spec_of(change->operations.at(0))->name;
      return ending(it.report);
    }
  } const word;
  return std::visit(word, step);
}

inline std::string line_of(const llm_steps& steps) {
  std::string out;
  for (const auto& each : steps)
    out += (out.empty() ? "" : ", ") + word_of(each);
  return out;
}

inline models::call_outcome outcome_of(models::chat_answer answer) {
  models::call_outcome out;
  out.answer.value = std::move(answer);
  out.cost.spent.tokens = 10;
  return out;
}

inline models::call_outcome says(std::string content) {
  models::chat_answer answer;
  answer.content = std::move(content);
  answer.finish = models::finish_reason::stop;
  return outcome_of(std::move(answer));
}

inline models::call_outcome calls(std::vector<models::tool_call> wanted) {
  models::chat_answer answer;
  answer.calls = std::move(wanted);
  answer.finish = models::finish_reason::tool_calls;
  return outcome_of(std::move(answer));
}

inline models::call_outcome fails(models::failure_kind kind) {
  models::call_outcome out;
  out.answer.failure.kind = kind;
  out.answer.failure.message = "it failed";
  return out;
}

inline const models::tool_call city_call{"c1", "ask_person",
                                         R"({"question":"Which city?","choices":["Oslo","Rome"]})"};

struct talk_bed {
  explicit talk_bed(llm_terms terms = {}, llm_note note = {}, std::vector<message_ptr> inputs = {})
      : course(named(std::move(terms)), {{speaker::system, "S"}, {speaker::user, "P"}},
               std::move(note), std::move(inputs)) {}
  static llm_terms named(llm_terms terms) {
    terms.model = "m";
    return terms;
  }
  static llm_terms with_tools() {
    llm_terms out;
    out.offer.tools = {"ask_person"};
    return out;
  }
  static llm_terms with_schema() {
    llm_terms out;
    out.schema =
        object(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})");
    return out;
  }
  /// The request among the steps.
  static models::chat_request request_in(const llm_steps& steps) {
    for (const auto& each : steps)
      if (const auto* asked = std::get_if<llm_ask>(&each))
        return asked->request;
    throw std::runtime_error("the model is not asked");
  }

  conversation course;
  conversation::point now{1000s};
};

} // namespace troupe::test
