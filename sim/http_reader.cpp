#include "sim/http_reader.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::sim {

namespace {

constexpr std::string_view line_end = "\r\n";

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

} // namespace

void http_reader::add(std::string_view bytes) {
  unread_ += bytes;
  if (is_complete_ || is_wrong_)
    return;
  if (!has_head())
    read_head();
  if (!has_head())
    return;
  if (is_chunked_) {
    read_chunks();
    return;
  }
  if (unread_.size() < length_)
    return;
  body_ = unread_.substr(0, length_);
  unread_.erase(0, length_);
  is_complete_ = true;
}

void http_reader::read_head() {
  const auto end = unread_.find("\r\n\r\n");
  if (end == std::string::npos)
    return;
  auto rest = std::string_view(unread_).substr(0, end + 2);
  constexpr std::string_view begin = "HTTP/1.1 ";
  is_wrong_ = !rest.starts_with(begin);
  if (is_wrong_)
    return;
  std::from_chars(rest.data() + begin.size(), rest.data() + rest.size(), status_);
  for (rest.remove_prefix(rest.find(line_end) + 2); !rest.empty();
       rest.remove_prefix(rest.find(line_end) + 2)) {
    const auto line = rest.substr(0, rest.find(line_end));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
      continue;
    auto value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    headers_[lower(line.substr(0, colon))] = value;
  }
  unread_.erase(0, end + 4);
  is_chunked_ = header("transfer-encoding") == "chunked";
  length_ = 0;
  const auto& length = header("content-length");
  std::from_chars(length.data(), length.data() + length.size(), length_);
}

void http_reader::read_chunks() {
  for (;;) {
    const auto end = unread_.find(line_end);
    if (end == std::string::npos)
      return;
    std::size_t size = 0;
    const auto [last, failed] = std::from_chars(unread_.data(), unread_.data() + end, size, 16);
    is_wrong_ = failed != std::errc{};
    if (is_wrong_ || unread_.size() < end + 2 + size + 2)
      return;
    body_.append(unread_, end + 2, size);
    unread_.erase(0, end + 2 + size + 2);
    if (size == 0) {
      is_complete_ = true;
      return;
    }
  }
}

const std::string& http_reader::header(std::string_view name) const {
  static const std::string none;
  const auto found = headers_.find(name);
  return found == headers_.end() ? none : found->second;
}

std::vector<std::string> http_reader::take_events() {
  std::vector<std::string> out;
  constexpr std::string_view data = "data: ";
  for (auto end = body_.find("\n\n", events_at_); end != std::string::npos;
       end = body_.find("\n\n", events_at_)) {
    std::string_view event(body_);
    event = event.substr(events_at_, end - events_at_);
    events_at_ = end + 2;
    // A line before the data names the event or is a comment.
    const auto at = event.find(data);
    if (at != std::string_view::npos && (at == 0 || event[at - 1] == '\n'))
      out.emplace_back(event.substr(at + data.size()));
  }
  return out;
}

void http_reader::begin_next() {
  body_.clear();
  headers_.clear();
  status_ = 0;
  is_complete_ = false;
  events_at_ = 0;
  add({});
}

} // namespace troupe::sim
