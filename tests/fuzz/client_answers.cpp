// What a client reads of other agents: a card, tasks, answers, pages and errors in every version
// and binding, and the bytes of an event stream. A task that was read reads the same when it is
// written again; a stream has the same events wherever its bytes are cut.
#include "client/sse_reader.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include "protocol/a2a/codec_v0_3.hpp"
#include "protocol/a2a/codec_v1_0.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/json/serialize.hpp>

#include <vector>

using namespace troupe;

namespace {

constexpr wire::wire_format formats[] = {
    {wire::a2a_version::v1_0, wire::a2a_binding::json_rpc},
    {wire::a2a_version::v1_0, wire::a2a_binding::rest},
    {wire::a2a_version::v0_3, wire::a2a_binding::json_rpc},
    {wire::a2a_version::v0_3, wire::a2a_binding::rest},
};

constexpr std::size_t event_bytes_max = 64 * 1024;

template<class T>
bool is_read(const result<T>& read) {
  return fuzz::accepted(read, errc::invalid_agent_response);
}

std::string as_1_0(const task& one) {
  return fuzz::written([&](json_writer& out) { v1_0::write(out, one); });
}

void check_task(const boost::json::value& tree, wire::wire_format format) {
  const auto read = wire::read_task(tree, format);
  if (!is_read(read))
    return;
  const auto once = as_1_0(*read);
  const auto again = wire::read_task(fuzz::tree_of(once), formats[0]);
  fuzz::demand(again.has_value(), "a task that was written is not read", once);
  fuzz::demand(as_1_0(*again) == once, "a task is read otherwise", once, as_1_0(*again));
}

void read_card(const boost::json::value& tree) {
  const auto read = read_agent_card(tree);
  if (!is_read(read))
    return;
  fuzz::demand(!read->name.empty() && !read->interfaces.empty(), "a card without its minimum");
  const auto once = card_to_json(*read, card_shape::pure_1_0);
  const auto again = read_agent_card(boost::json::value(once));
  fuzz::demand(again.has_value(), "a card that was written is not read",
               boost::json::serialize(once));
}

/// The events of `text`, which comes in pieces of `size` bytes; ends at an error.
std::vector<std::string> events_of(std::string_view text, std::size_t size) {
  net::sse_reader reader(event_bytes_max);
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto piece = text.substr(0, size);
    text.remove_prefix(piece.size());
    const auto fed = reader.feed(piece);
    while (const auto event = reader.take())
      out.push_back(event->id + "\n" + event->data);
    if (!fed)
      break;
  }
  return out;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  if (size < event_bytes_max) {
    const auto whole = events_of(text, size + 1);
    fuzz::demand(events_of(text, 1) == whole, "a stream depends on where it is cut", text);
    fuzz::demand(events_of(text, 7) == whole, "a stream depends on where it is cut", text);
  }
  const auto tree = fuzz::tree_from(text);
  if (!tree)
    return 0;
  read_card(*tree);
  for (const auto& format : formats) {
    check_task(*tree, format);
    static_cast<void>(is_read(wire::read_answer(*tree, format)));
    static_cast<void>(is_read(wire::read_task_page(*tree, format)));
    static_cast<void>(is_read(wire::read_push_config(*tree, format)));
    static_cast<void>(is_read(wire::read_push_page(*tree, format)));
  }
  fuzz::demand(!wire::read_rpc_error(*tree).message.empty(), "an error without words");
  fuzz::demand(!wire::read_rest_error(500, *tree).message.empty(), "an error without words");
  return 0;
}
