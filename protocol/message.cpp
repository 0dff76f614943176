#include "protocol/message.hpp"

namespace troupe {

namespace {

namespace json = boost::json;

/// What it holds beyond its own place.
std::size_t bytes_of(const json::value& what) noexcept {
  if (const auto* text = what.if_string())
    return text->size();
  if (const auto* members = what.if_object())
    return troupe::bytes_of(*members);
  std::size_t sum = 0;
  if (const auto* items = what.if_array())
    for (const auto& item : *items)
      sum += sizeof(json::value) + bytes_of(item);
  return sum;
}

struct content_bytes {
  std::size_t operator()(const text_content& what) const noexcept { return what.text.size(); }
  std::size_t operator()(const raw_content& what) const noexcept { return what.bytes.size(); }
  std::size_t operator()(const url_content& what) const noexcept { return what.url.size(); }
  std::size_t operator()(const data_content& what) const noexcept { return bytes_of(what.data); }
};

} // namespace

std::size_t bytes_of(const json::object& what) noexcept {
  std::size_t sum = 0;
  for (const auto& member : what)
    sum += sizeof(json::key_value_pair) + member.key().size() + bytes_of(member.value());
  return sum;
}

std::size_t bytes_of(const std::vector<part>& parts) noexcept {
  std::size_t sum = 0;
  for (const auto& piece : parts)
    sum += sizeof(part) + std::visit(content_bytes{}, piece.content) + bytes_of(piece.metadata);
  return sum;
}

std::size_t bytes_of(const message& what) noexcept {
  return sizeof(message) + bytes_of(what.parts) + bytes_of(what.metadata);
}

std::size_t bytes_of(const artifact& what) noexcept {
  return sizeof(artifact) + what.name.size() + what.description.size() + bytes_of(what.parts) + bytes_of(what.metadata);
}

std::string text_of(const std::vector<part>& parts) {
  std::string out;
  for (const auto& piece : parts)
    if (const auto* text = std::get_if<text_content>(&piece.content)) {
      if (!out.empty())
        out.push_back('\n');
      out += text->text;
    }
  return out;
}

} // namespace troupe
