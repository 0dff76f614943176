// What the tests of the A2A codecs share: small values, and one way to write and parse them.
#pragma once

#include "protocol/json/json_writer.hpp"
#include "tests/protocol/random_values.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/task.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

inline constexpr timestamp noon{
    std::chrono::milliseconds{1'767'355'200'000}}; // 2026-01-02T12:00:00Z

/// What `write(json_writer&)` writes.
template<class Write>
std::string text_from(const Write& write) {
  std::string out;
  json_writer to{out};
  write(to);
  return out;
}

inline boost::json::value parsed(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = 500;
  return boost::json::parse({text.data(), text.size()}, {}, options);
}

inline message_ptr agent_says(std::string text) {
  message out;
  out.message_id = "m-1";
  out.from = role::agent;
  out.parts.push_back(text_part(std::move(text)));
  return std::make_shared<const message>(std::move(out));
}

inline task small_task(task_state state = task_state::working) {
  task out;
  out.id = task_id{"t1"};
  out.context = "c1";
  out.status = {state, nullptr, noon};
  return out;
}

/// A change of that task.
inline change small_change() {
  change out;
  out.context = "c1";
  out.task.id = task_id{"t1"};
  out.at = noon;
  return out;
}

inline push_config small_push_config() {
  push_config out;
  out.id = "p1";
  out.task = task_id{"t1"};
  out.url = "https://hook.example/a2a";
  out.token = "secret";
  out.authentication = push_authentication{"Bearer", "key"};
  return out;
}

/// A part that 0.3 holds whole: what it has no place for is empty, and nothing looks like something
/// else.
inline part any_part_of_0_3(random_values& random) {
  auto out = random.any_part();
  if (std::holds_alternative<text_content>(out.content)
      || std::holds_alternative<data_content>(out.content)) {
    out.media_type.clear();
    out.filename.clear();
  }
  return out;
}

inline message any_message_of_0_3(random_values& random) {
  auto out = random.any_message();
  out.message_id = random.some_text();
  out.from = random.coin() ? role::user : role::agent;
  out.context_id = random.coin() ? "c-1" : "";
  out.parts.clear();
  for (auto n = 1 + random.below(3); n > 0; --n)
    out.parts.push_back(any_part_of_0_3(random));
  return out;
}

inline artifact any_artifact_of_0_3(random_values& random) {
  auto out = random.any_artifact();
  out.artifact_id = random.some_text();
  out.parts = {any_part_of_0_3(random)};
  return out;
}

} // namespace troupe::test
