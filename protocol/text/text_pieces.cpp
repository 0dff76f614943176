#include <troupe/protocol/text_pieces.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace troupe {

void text_pieces::add_borrowed(std::string_view text) {
  if (text.empty())
    return;
  close_end();
  segments_.push_back({{}, text, nullptr});
}

void text_pieces::add_source(source next) {
  close_end();
  segments_.push_back({{}, {}, std::move(next)});
}

void text_pieces::add(text_pieces&& other) {
  close_end();
  std::move(other.segments_.begin(), other.segments_.end(), std::back_inserter(segments_));
  std::move(other.owners_.begin(), other.owners_.end(), std::back_inserter(owners_));
  end_ = std::exchange(other.end_, {});
  other.segments_.clear();
  other.owners_.clear();
}

std::string text_pieces::next(std::size_t bytes_max) {
  close_end();
  std::string out;
  while (out.size() < bytes_max && !segments_.empty()) {
    auto& first = segments_.front();
    if (first.more) {
      ask_source();
      continue;
    }
    const auto text = first.own.empty() ? first.borrowed : std::string_view{first.own};
    const auto taken = text.substr(first.read, bytes_max - out.size());
    out += taken;
    first.read += taken.size();
    if (first.read == text.size())
      segments_.pop_front();
  }
  if (out.empty())
    owners_.clear();
  return out;
}

std::string text_pieces::rest() {
  return next(std::numeric_limits<std::size_t>::max());
}

std::size_t text_pieces::bytes_held() const noexcept {
  auto sum = end_.size() + segments_.size() * sizeof(segment);
  for (const auto& one : segments_)
    sum += one.own.size();
  return sum;
}

void text_pieces::close_end() {
  if (!end_.empty())
    segments_.push_back({std::exchange(end_, {}), {}, nullptr});
}

void text_pieces::ask_source() {
  text_pieces made;
  if (!segments_.front().more(made))
    segments_.pop_front();
  made.close_end();
  std::move(made.owners_.begin(), made.owners_.end(), std::back_inserter(owners_));
  std::move(made.segments_.rbegin(), made.segments_.rend(), std::front_inserter(segments_));
}

} // namespace troupe
