// Server-sent events as a client reads them: the events are the same however the bytes are cut.
#include "protocol/event_stream.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <vector>

using namespace troupe;

namespace {

constexpr std::size_t event_bytes_max = 256;

struct reading {
  std::vector<stream_event> events;
  bool broken = false;

  friend bool operator==(const reading&, const reading&) = default;
};

reading read_all(std::string_view bytes, std::size_t step) {
  event_stream_reader reader(event_bytes_max);
  reading out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.feed(bytes.substr(at, step));
    while (auto one = reader.next())
      out.events.push_back(std::move(*one));
  }
  out.broken = reader.is_broken();
  return out;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = read_all(bytes, bytes.size() + 1);
  for (const std::size_t step : {std::size_t{1}, std::size_t{3}})
    fuzz::demand(read_all(bytes, step) == whole, "cut otherwise, read otherwise");
  for (const auto& one : whole.events)
    fuzz::demand(one.data.size() <= event_bytes_max, "an event over the limit");
  return 0;
}
