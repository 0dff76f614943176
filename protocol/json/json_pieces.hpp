// JSON as text_pieces: long strings, bytes and large trees become text while the pieces are read.
// Also a tree in which other texts and values stand in the places of some strings. All functions
// borrow what they are given: it outlives the pieces.
#pragma once

#include <troupe/protocol/message.hpp>
#include <troupe/protocol/text_pieces.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace troupe {

/// A string or tree of at most so many bytes is written at once: it costs less than a source.
inline constexpr std::size_t written_at_once_bytes_max = 1024;

/// What stands in the place of one string: a value, or else a text put together from texts, the
/// texts of parts (as text_of does) and values. A value within a text is a string without its
/// quotes, or JSON as boost::json writes it.
struct string_replacement {
  using text_segment =
      std::variant<std::string_view, std::span<const part>, const boost::json::value*>;

  const boost::json::value* value = nullptr;
  std::vector<text_segment> text; ///< If there is no `value`.
};

/// The replacements for strings of one tree.
struct string_replacements {
  std::unordered_map<const boost::json::value*, string_replacement> by_place;
  std::vector<std::shared_ptr<const void>> owners; ///< Of the texts and values.

  /// Null: the string stands for itself.
  [[nodiscard]] const string_replacement* of(const boost::json::value& place) const {
    const auto found = by_place.find(&place);
    return found == by_place.end() ? nullptr : &found->second;
  }
};

/// The length of a value or of a segment within a text.
[[nodiscard]] std::size_t inserted_bytes(const boost::json::value& value);
[[nodiscard]] std::size_t inserted_bytes(const string_replacement::text_segment& segment);
/// The whole text.
[[nodiscard]] std::string text_of(const string_replacement& replacement);

/// The text as it is.
void add_text(text_pieces& out, const string_replacement& replacement);
/// The inside of a JSON string, escaped as json_writer does.
void add_escaped(text_pieces& out, std::string_view text);
/// The inside of a JSON string with base64.
void add_base64(text_pieces& out, std::string_view bytes);
/// As json_writer writes it. `replaced`, if any, outlives the pieces, too.
void add_json(text_pieces& out, const boost::json::value& tree,
              const string_replacements* replaced = nullptr);
void add_json(text_pieces& out, const boost::json::object& tree,
              const string_replacements* replaced = nullptr);

/// Whether a tree has more than written_at_once_bytes_max bytes, roughly. Looks no further than
/// that.
[[nodiscard]] bool is_long(const boost::json::value& tree);
[[nodiscard]] bool is_long(const boost::json::object& tree);

} // namespace troupe
