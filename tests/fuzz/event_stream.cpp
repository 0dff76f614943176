// The events of a stream, out of bytes: they are the same wherever the bytes are cut. The first
// byte says where.
#include "client/sse_reader.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <vector>

using namespace troupe;

namespace {

constexpr std::size_t event_bytes_max = 256;

struct outcome {
  std::vector<net::sse_event> events;
  bool is_too_large = false;
};

outcome read_in_pieces(std::string_view text, std::size_t piece) {
  outcome out;
  net::sse_reader reader(event_bytes_max);
  while (!text.empty()) {
    const auto fed = reader.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
    while (auto event = reader.take())
      out.events.push_back(std::move(*event));
    if (!fed) {
      fuzz::demand(fed.error().code == errc::too_large && !fed.error().message.empty(),
                   "an error without its code or words");
      out.is_too_large = true;
      return out;
    }
  }
  if (auto rest = reader.take_rest())
    out.events.push_back(std::move(*rest));
  return out;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = fuzz::text_of(data, size);
  if (text.empty())
    return 0;
  const std::size_t piece = 1 + static_cast<unsigned char>(text.front()) % 16U;
  text.remove_prefix(1);
  const auto whole = read_in_pieces(text, text.size() + 1);
  const auto cut = read_in_pieces(text, piece);
  // What is too long is seen earlier or later, but always.
  fuzz::demand(whole.is_too_large == cut.is_too_large, "too large, or not", text);
  fuzz::demand(whole.is_too_large || whole.events.size() == cut.events.size(),
               "another number of events", text);
  for (std::size_t i = 0; i < std::min(whole.events.size(), cut.events.size()); ++i) {
    const auto& one = whole.events[i];
    const auto& other = cut.events[i];
    fuzz::demand(one.id == other.id && one.data == other.data && one.is_error == other.is_error,
                 "another event", one.data, other.data);
    fuzz::demand(one.data.size() <= event_bytes_max && net::is_event_id(one.id),
                 "an event above its limit", text);
  }
  return 0;
}
