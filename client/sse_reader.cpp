#include "client/sse_reader.hpp"

#include "client/answer_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace troupe::net {

result<void> sse_reader::feed(std::string_view bytes) {
  auto line_feed = bytes.find('\n');
  for (std::size_t at = 0; at < bytes.size();) {
    if (std::exchange(after_return_, false) && bytes[at] == '\n') {
      ++at;
      continue;
    }
    if (line_feed < at)
      line_feed = bytes.find('\n', at);
    const auto line = bytes.substr(at, line_feed - at);
    const auto piece = line.substr(0, line.find('\r'));
    const bool is_comment = (line_.empty() ? piece : std::string_view(line_)).starts_with(':');
    if (is_comment)
      idle_bytes_ += piece.size();
    else if (line_.size() + data_.size() + piece.size() > event_bytes_max_)
      return make_error(errc::too_large, "an event of the stream is longer than "
                                             + std::to_string(event_bytes_max_) + " bytes");
    at += piece.size();
    if (at == bytes.size()) {
      if (is_comment)
        line_ = ':'; // its text is not kept
      else
        line_.append(piece);
      return {};
    }
    after_return_ = bytes[at++] == '\r';
    if (is_comment) {
      line_.clear();
      is_first_line_ = false;
    } else if (line_.empty()) {
      take_line(piece);
    } else {
      line_.append(piece);
      take_line(std::exchange(line_, std::string{}));
    }
  }
  return {};
}

bool is_event_id(std::string_view text) noexcept {
  return text.size() <= event_id_bytes_max
         && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

void sse_reader::take_line(std::string_view line) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (std::exchange(is_first_line_, false) && line.starts_with(byte_order_mark))
    line.remove_prefix(byte_order_mark.size());
  if (line.empty())
    return end_event();
  const auto colon = line.find(':');
  const auto name = line.substr(0, colon);
  if (name != "data")
    idle_bytes_ += line.size();
  if (colon == 0)
    return; // a comment
  auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' '))
    value.remove_prefix(1);
  if (name == "data") {
    if (std::exchange(has_data_, true))
      data_.push_back('\n');
    data_.append(value);
  } else if (name == "event") {
    is_error_ = value == "error";
  } else if (name == "id" && is_event_id(value)) {
    id_ = value;
  } else if (name == "retry") {
    std::uint32_t wait = 0;
    const auto [stop, failed] = std::from_chars(value.data(), value.data() + value.size(), wait);
    if (failed == std::errc{} && stop == value.data() + value.size())
      retry_ = std::chrono::milliseconds{wait};
  }
}

void sse_reader::end_event() {
  const bool is_error = std::exchange(is_error_, false);
  if (std::exchange(has_data_, false))
    keep({id_, std::exchange(data_, std::string{}), is_error});
  else
    ++idle_bytes_;
  data_.clear();
}

void sse_reader::keep(sse_event event) {
  events_bytes_ += sizeof event + event.id.size() + event.data.size();
  events_.push_back(std::move(event));
}

std::size_t sse_reader::held_bytes() const noexcept {
  return heap_bytes(line_) + heap_bytes(data_) + events_bytes_;
}

std::optional<sse_event> sse_reader::take() {
  if (taken_ == events_.size())
    return std::nullopt;
  auto out = std::move(events_[taken_++]);
  events_bytes_ -= sizeof out + out.id.size() + out.data.size();
  if (taken_ == events_.size()) {
    std::vector<sse_event>{}.swap(events_); // without its room
    taken_ = 0;
  }
  return out;
}

std::optional<sse_event> sse_reader::take_rest() {
  if (!line_.empty())
    take_line(std::exchange(line_, {}));
  end_event();
  return take();
}

} // namespace troupe::net
