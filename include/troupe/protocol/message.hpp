// Messages, parts and artifacts: what agents and people exchange (A2A 1.0 section 4.1). Plain
// values, version-free; the codecs write them as 1.0 or 0.3. Once published they are shared and
// immutable (`message_ptr`, `artifact_ptr`).
#pragma once

#include <troupe/protocol/ids.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe {

enum class role : std::uint8_t { unspecified = 0, user = 1, agent = 2 };

/// Text content.
struct text_content {
  std::string text;
  friend bool operator==(const text_content&, const text_content&) = default;
};

/// Inline bytes, decoded (on the wire: base64).
struct raw_content {
  std::string bytes;
  friend bool operator==(const raw_content&, const raw_content&) = default;
};

/// A file somewhere else.
struct url_content {
  std::string url;
  friend bool operator==(const url_content&, const url_content&) = default;
};

/// Any JSON.
struct data_content {
  boost::json::value data;
  friend bool operator==(const data_content&, const data_content&) = default;
};

/// One piece of a message or artifact; exactly one content.
struct part {
  std::variant<text_content, raw_content, url_content, data_content> content;
  std::string media_type; ///< Empty: not given.
  std::string filename;   ///< Empty: not given.
  boost::json::object metadata;

  friend bool operator==(const part&, const part&) = default;
};

[[nodiscard]] inline part text_part(std::string text) {
  return part{text_content{std::move(text)}, {}, {}, {}};
}

[[nodiscard]] inline part data_part(boost::json::value data) {
  return part{data_content{std::move(data)}, {}, {}, {}};
}

/// One turn of a conversation.
struct message {
  std::string message_id;
  role from = role::unspecified;
  std::vector<part> parts;
  std::string context_id; ///< Empty: not given.
  std::string task_id;    ///< Empty: not given.
  std::vector<std::string> reference_task_ids;
  std::vector<std::string> extensions;
  boost::json::object metadata;

  friend bool operator==(const message&, const message&) = default;
};

using message_ptr = std::shared_ptr<const message>;

/// All text parts, joined by a newline.
[[nodiscard]] std::string text_of(std::span<const part> parts);

/// An output of a task.
struct artifact {
  std::string artifact_id;
  std::string name;        ///< Empty: not given.
  std::string description; ///< Empty: not given.
  std::vector<part> parts;
  std::vector<std::string> extensions;
  boost::json::object metadata;

  friend bool operator==(const artifact&, const artifact&) = default;
};

using artifact_ptr = std::shared_ptr<const artifact>;

/// Roughly what they take in memory, in bytes; never 0 for a message or an artifact.
[[nodiscard]] std::size_t bytes_of(const boost::json::object& object) noexcept;
[[nodiscard]] std::size_t bytes_of(const std::vector<part>& parts) noexcept;
[[nodiscard]] std::size_t bytes_of(const message& message) noexcept;
[[nodiscard]] std::size_t bytes_of(const artifact& artifact) noexcept;

} // namespace troupe
