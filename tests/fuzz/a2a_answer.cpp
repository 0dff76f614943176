// What an agent answers, in every version and binding: whole answers with any status, events of a
// stream, and every result in them. A refusal has words. What has ended never moves again, whatever
// frames come after it.
#include "agents/a2a/remote_task.hpp"
#include "client/a2a/request.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <initializer_list>

using namespace troupe;

namespace {

constexpr wire::wire_format formats[] = {
    {wire::a2a_version::v1_0, wire::a2a_binding::json_rpc},
    {wire::a2a_version::v1_0, wire::a2a_binding::rest},
    {wire::a2a_version::v0_3, wire::a2a_binding::json_rpc},
    {wire::a2a_version::v0_3, wire::a2a_binding::rest},
};

template<class T>
bool is_read(const result<T>& read, std::string_view text) {
  if (!read)
    fuzz::demand(read.error().code != errc::none && !read.error().message.empty(),
                 "an error without its code or words", text);
  return read.has_value();
}

/// The same frame again and again, and one that says otherwise.
void follow(const wire::answer& frame, std::string_view text) {
  remote_task seen;
  static_cast<void>(seen.take(frame));
  const auto id = seen.id();
  const auto state = seen.state();
  static_cast<void>(seen.take(frame));
  fuzz::demand(seen.id() == id, "another id", text);
  if (!is_terminal(state))
    return;
  wire::status_update later;
  later.task = task_id{id};
  later.status.state = task_state::working;
  static_cast<void>(seen.take(later));
  fuzz::demand(seen.state() == state, "what has ended moves again", text);
}

void read_values(const boost::json::value& from, wire::wire_format format, std::string_view text) {
  if (const auto read = wire::read_answer(from, format); is_read(read, text))
    follow(*read, text);
  if (const auto read = wire::read_task(from, format); is_read(read, text))
    fuzz::demand(!read->id.empty(), "a task without an id", text);
  if (const auto page = wire::read_task_page(from, format); is_read(page, text))
    for (const auto& each : page->tasks)
      fuzz::demand(!each.id.empty(), "a task of a list without an id", text);
  if (const auto read = wire::read_push_config(from, format); is_read(read, text))
    fuzz::demand(!read->url.empty(), "a configuration without a URL", text);
  is_read(wire::read_push_page(from, format), text);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  for (const auto format : formats) {
    for (const unsigned status : {200U, 401U, 404U, 503U}) {
      net::outbound_answer answer;
      answer.status = status;
      answer.headers.emplace_back("Retry-After", std::string(text.substr(0, 64)));
      answer.body = text;
      const auto value = a2a::read_result(answer, format, timestamp{});
      if (is_read(value, text)) {
        fuzz::demand(status == 200, "a refusal is a result", text);
        read_values(*value, format, text);
      }
    }
    for (const bool is_error : {false, true}) {
      const auto value = a2a::read_event({{}, std::string(text), is_error}, format);
      if (is_read(value, text)) {
        fuzz::demand(!is_error, "an error is an event", text);
        read_values(*value, format, text);
      }
    }
  }
  return 0;
}
