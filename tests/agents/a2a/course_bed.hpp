// The course of a delegation without sockets, and its steps as words, for tests.
#pragma once

#include "agents/a2a/delegation.hpp"
#include "agents/a2a/limits.hpp"
#include "tests/support/catch.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::testing {

/// The steps as words: `keep!` is a note that must be durable first.
inline std::string word_of(const delegation_step& step) {
  struct {
    std::string operator()(const do_look_up&) const { return "look up"; }
    std::string operator()(const do_keep& it) const { return it.tells ? "keep!" : "keep"; }
    std::string operator()(const do_send& it) const { return it.streams ? "stream" : "send"; }
    std::string operator()(const do_deliver& it) const {
      return "deliver " + text_of(it.message->parts);
    }
    std::string operator()(const do_listen& it) const {
      return it.cursor.empty() ? "listen" : "listen behind " + it.cursor;
    }
    std::string operator()(const do_get&) const { return "get"; }
    std::string operator()(const do_find&) const { return "find"; }
    std::string operator()(const do_read_question&) const { return "read question"; }
    std::string operator()(const do_cancel&) const { return "cancel"; }
    std::string operator()(const do_cancel_later&) const { return "cancel later"; }
    std::string operator()(const do_slow_down& it) const {
      return "slow down by " + std::to_string(it.events);
    }
    std::string operator()(const do_hang_up&) const { return "hang up"; }
    std::string operator()(const do_wait&) const { return {}; }
    std::string operator()(const do_end&) const { return "end"; }
    std::string operator()(const do_report& it) const {
      if (const auto* asked = std::get_if<report_question>(&it.report))
        return "ask " + asked->prompt;
      if (std::holds_alternative<report_withdrawal>(it.report))
        return "withdraw";
      if (std::holds_alternative<report_completed>(it.report))
        return "completed";
      if (const auto* failed = std::get_if<report_failed>(&it.report))
        return (failed->retry ? "failed: " : "failed for good: ") + failed->reason;
      if (const auto* canceled = std::get_if<report_canceled>(&it.report))
        return "canceled " + std::string(to_string(canceled->outcome));
      if (std::holds_alternative<report_artifact>(it.report))
        return "artifact";
      if (std::holds_alternative<report_message>(it.report))
        return "message";
      return "report";
    }
  } const word;
  return std::visit(word, step);
}

/// Steps of one turn in one line.
inline std::string line_of(const delegation_steps& steps) {
  std::string out;
  for (const auto& each : steps)
    if (const auto word = word_of(each); !word.empty())
      out += (out.empty() ? "" : ", ") + word;
  return out;
}

inline message_ptr user_text(std::string text, std::string id) {
  message out;
  out.message_id = std::move(id);
  out.from = role::user;
  out.parts = {text_part(std::move(text))};
  return std::make_shared<const message>(std::move(out));
}

inline task remote_state(task_state state, std::string asks = {}, std::string id = "r1") {
  task out;
  out.id = task_id{id};
  out.context = "c1";
  out.status.state = state;
  if (!asks.empty()) {
    message said;
    said.message_id = "q-" + asks;
    said.parts = {text_part(asks)};
    out.status.message = std::make_shared<const message>(std::move(said));
  }
  return out;
}

inline const remote_abilities able{"1.0 JSONRPC http://a/", true, true, true};
inline const remote_abilities lister{"1.0 JSONRPC http://a/", true, false, true};
inline const remote_abilities neither{"0.3 JSONRPC http://a/", true, false, false};

struct course_bed {
  explicit course_bed(delegation_terms terms = {}, std::optional<delegation_note> note = {},
                      const std::vector<message_ptr>& inputs = {},
                      std::optional<std::size_t> in_request = {})
      : course(named(std::move(terms)), fresh(), std::move(note), inputs,
               in_request.value_or(inputs.size())) {}

  static delegation_terms named(delegation_terms terms) {
    terms.target = "support";
    return terms;
  }
  static delegation_note fresh() {
    delegation_note out;
    out.target = "support";
    out.message = "m1";
    out.context = "c1";
    out.key = "k1";
    return out;
  }
  /// Up to the first frame: the remote task is r1, and works.
  void follow(const remote_abilities& can = able) {
    CHECK(line_of(course.begin(now)) == "look up");
    CHECK(line_of(course.on_met(now, can)) == "keep!");
    CHECK(line_of(course.on_noted(now)) == (can.streams ? "stream" : "send"));
    if (can.streams)
      CHECK(line_of(course.on_event(now, remote_state(task_state::working))) == "keep");
    else
      CHECK(line_of(course.on_sent(now, wire::answer{remote_state(task_state::working)}))
            == "keep");
    CHECK(course.note().task == "r1");
  }
  /// The agent lists no task of ours, and none when it is asked once more: what follows.
  std::string find_nothing() {
    CHECK(line_of(course.on_found(now, std::vector<task>{})).empty());
    CHECK(after(std::chrono::seconds{30}) == "find");
    return line_of(course.on_found(now, std::vector<task>{}));
  }
  /// What is due within `wait`.
  std::string after(std::chrono::nanoseconds wait) {
    now += wait;
    return line_of(course.on_time(now));
  }

  delegation course;
  delegation::point now{std::chrono::seconds{1000}};
};

inline error broken() {
  return make_error(errc::unavailable, "broken");
}

/// The note of an attempt of an earlier process; `task`: the remote task, if its id was known.
inline delegation_note left_note(std::string task = {}) {
  auto out = course_bed::fresh();
  out.task = std::move(task);
  return out;
}

} // namespace troupe::testing
