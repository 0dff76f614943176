// What a server of models answers: as a whole, as the data of events, as a stream of bytes, as a
// refusal, and as a plan. A whole answer that is accepted reads the same as one event of a stream.
#include "agents/llm/plan_reply.hpp"
#include "client/models/answer_reading.hpp"
#include "client/models/limits.hpp"
#include "client/sse_reader.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::models;

namespace {

/// The answer as the only chunk of a stream.
std::string as_chunk(const chat_answer& from) {
  namespace json = boost::json;
  json::object delta{
      {"content", from.content}, {"reasoning_content", from.reasoning}, {"refusal", from.refusal}};
  auto& calls = delta["tool_calls"].emplace_array();
  for (std::size_t i = 0; i < from.calls.size(); ++i) {
    json::object function{{"name", from.calls[i].name}, {"arguments", from.calls[i].arguments}};
    json::object call{{"id", from.calls[i].id}};
    call["index"] = i;
    call["function"] = std::move(function);
    calls.emplace_back(std::move(call));
  }
  json::object choice;
  choice["delta"] = std::move(delta);
  choice["finish_reason"] = to_string(from.finish);
  json::object out;
  out["choices"].emplace_array().emplace_back(std::move(choice));
  return json::serialize(out);
}

void read_as_whole(std::string_view text) {
  const auto read = read_answer(text);
  if (!read) {
    fuzz::demand(!read.failure.message.empty(), "a failure without words", text);
    return;
  }
  for (const auto& each : read.value->calls)
    fuzz::demand(!each.id.empty(), "a call without an id", text);
  if (read.value->finish == finish_reason::none)
    return;
  streamed_answer stream;
  fuzz::demand(static_cast<bool>(stream.take(as_chunk(*read.value))), "no event", text);
  const auto back = stream.finish();
  fuzz::demand(back && back.value->content == read.value->content
                   && back.value->reasoning == read.value->reasoning
                   && back.value->calls == read.value->calls
                   && back.value->finish == read.value->finish,
               "read otherwise as an event", text);
}

/// The bytes of a stream, in two pieces.
void read_as_stream(std::string_view text) {
  net::sse_reader events(event_bytes_max);
  streamed_answer answer;
  for (const auto piece : {text.substr(0, text.size() / 2), text.substr(text.size() / 2)}) {
    if (!events.feed(piece))
      return;
    while (const auto event = events.take())
      if (const auto added = answer.take(event->data); !added) {
        fuzz::demand(!added.failure.message.empty(), "a failure without words", text);
        return;
      }
  }
  static_cast<void>(answer.finish());
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  read_as_whole(text);
  read_as_stream(text);
  for (const unsigned status : {400U, 401U, 429U, 502U})
    fuzz::demand(
        !read_failure(status, {{"Retry-After", std::string(text)}}, text, {}).message.empty(),
        "a failure without words", text);
  const auto plain = plain_content(text);
  fuzz::demand(plain.size() <= text.size(), "a content grows", text, plain);
  const auto plan = read_plan_reply(text, {"llm"}, questions::allowed);
  if (!plan)
    fuzz::demand(!plan.error().message.empty(), "a refusal without words", text);
  else if (const auto* made = std::get_if<report_plan>(&*plan))
    for (const auto& each : made->objective.plans.front()->tasks)
      fuzz::demand(each.agent.empty() || each.agent == "llm", "an agent that is not listed", text);
  return 0;
}
