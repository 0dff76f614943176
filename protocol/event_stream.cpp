#include "protocol/event_stream.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace troupe {

/// The next line without its end; nothing if its end has not come yet.
std::optional<std::string_view> event_stream_reader::take_line() {
  if (at_start_) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    const std::string_view rest = std::string_view(input_).substr(begin_);
    if (rest.size() < mark.size() && mark.starts_with(rest))
      return std::nullopt;
    at_start_ = false;
    begin_ += rest.starts_with(mark) ? mark.size() : 0;
    seen_ = begin_;
  }
  if (after_return_ && begin_ < input_.size()) {
    after_return_ = false;
    begin_ += input_[begin_] == '\n' ? 1 : 0;
    seen_ = std::max(seen_, begin_);
  }
  const auto end = input_.find_first_of("\r\n", seen_);
  if (end == std::string::npos) {
    seen_ = input_.size();
    return std::nullopt;
  }
  after_return_ = input_[end] == '\r';
  const auto line = std::string_view(input_).substr(begin_, end - begin_);
  begin_ = end + 1;
  seen_ = begin_;
  return line;
}

void event_stream_reader::read_field(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == 0)
    return; // a comment
  const auto name = line.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' '))
    value.remove_prefix(1);
  if (name == "data") {
    if (has_data_)
      event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (name == "event") {
    event_.name = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos)
      event_.id = value;
  } else if (name == "retry") {
    unsigned given = 0;
    const auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), given);
    if (ec == std::errc{} && end == value.data() + value.size())
      retry_ = given;
  }
}

std::optional<stream_event> event_stream_reader::next() {
  while (!broken_) {
    const auto line = take_line();
    const auto waiting = line ? line->size() : input_.size() - begin_;
    if (waiting + event_.data.size() > bytes_max_) {
      broken_ = true;
      input_.clear();
      begin_ = seen_ = 0;
      return std::nullopt;
    }
    if (!line) {
      input_.erase(0, begin_);
      seen_ -= begin_;
      begin_ = 0;
      return std::nullopt;
    }
    if (!line->empty()) {
      read_field(*line);
      continue;
    }
    const bool is_event = std::exchange(has_data_, false);
    stream_event done{std::exchange(event_.name, {}), std::exchange(event_.data, {}), event_.id};
    if (is_event)
      return done;
  }
  return std::nullopt;
}

} // namespace troupe
