#include <troupe/protocol/message.hpp>

namespace troupe {

namespace {

namespace json = boost::json;

/// What it holds beyond its own place.
std::size_t bytes_of_value(const json::value& value) noexcept {
  if (const auto* text = value.if_string())
    return text->size();
  if (const auto* members = value.if_object())
    return bytes_of(*members);
  std::size_t sum = 0;
  if (const auto* items = value.if_array())
    for (const auto& item : *items)
      sum += sizeof(json::value) + bytes_of_value(item);
  return sum;
}

struct content_bytes {
  std::size_t operator()(const text_content& text_content) const noexcept {
    return text_content.text.size();
  }
  std::size_t operator()(const raw_content& raw_content) const noexcept {
    return raw_content.bytes.size();
  }
  std::size_t operator()(const url_content& url_content) const noexcept {
    return url_content.url.size();
  }
  std::size_t operator()(const data_content& data_content) const noexcept {
    return bytes_of_value(data_content.data);
  }
};

} // namespace

std::size_t bytes_of(const json::object& object) noexcept {
  std::size_t sum = 0;
  for (const auto& member : object)
    sum += sizeof(json::key_value_pair) + member.key().size() + bytes_of_value(member.value());
  return sum;
}

std::size_t bytes_of(const std::vector<part>& parts) noexcept {
  std::size_t sum = 0;
  for (const auto& piece : parts)
    sum += sizeof(part) + std::visit(content_bytes{}, piece.content) + piece.media_type.size()
           + piece.filename.size() + bytes_of(piece.metadata);
  return sum;
}

std::size_t bytes_of(const message& sent) noexcept {
  return sizeof(message) + bytes_of(sent.parts) + bytes_of(sent.metadata);
}

std::size_t bytes_of(const artifact& value) noexcept {
  return sizeof(artifact) + value.name.size() + value.description.size() + bytes_of(value.parts)
         + bytes_of(value.metadata);
}

std::string text_of(std::span<const part> parts) {
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
