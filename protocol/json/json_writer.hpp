// Writes JSON text straight into a string, without building a tree first: records and replies are
// written once per change and must cost little. The caller keeps the order begin/key/value right;
// commas are the writer's business.
#pragma once

#include <troupe/protocol/time.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

class text_pieces;

/// Appends the inside of a JSON string: `text` as json_writer::string writes it, without the
/// quotes.
void append_escaped(std::string& out, std::string_view text);

class json_writer {
public:
  /// Appends to `out`, which outlives the writer.
  explicit json_writer(std::string& out) : out_(out) {}
  /// The same for text in pieces: what `long_...` is given becomes text while the pieces are read.
  explicit json_writer(text_pieces& out);

  json_writer& begin_object();
  json_writer& end_object();
  json_writer& begin_array();
  json_writer& end_array();
  /// `name` is written as it is: a literal of ours without characters to escape.
  json_writer& key(std::string_view name);
  /// A key from outside, escaped.
  json_writer& escaped_key(std::string_view name);

  /// Escapes what RFC 8259 section 7 demands, and U+0085, U+2028, U+2029, where some readers of
  /// event streams break lines. `text` must be UTF-8.
  json_writer& string(std::string_view text);
  json_writer& number(std::int64_t value);
  json_writer& number(std::uint64_t value);
  json_writer& number(std::uint32_t value) { return number(std::uint64_t{value}); }
  /// Shortest form that reads back the same; integers without a fraction. Not finite: null.
  json_writer& number(double value);
  json_writer& boolean(bool value);
  json_writer& null();
  json_writer& value(const boost::json::value& tree);
  json_writer& value(const boost::json::object& tree);
  /// As RFC 3339 (include/troupe/protocol/time.hpp), without a detour through another string.
  json_writer& time(timestamp at);
  /// JSON text that is already written.
  json_writer& raw(std::string_view json);

  // What may be long. It outlives the pieces of this writer, if it has pieces.
  json_writer& long_string(std::string_view text);
  json_writer& long_value(const boost::json::value& tree);
  json_writer& long_value(const boost::json::object& tree);
  /// As base64 (RFC 4648 section 4).
  json_writer& long_bytes(std::string_view bytes);
  /// JSON that is in pieces already. A writer into a string writes it now.
  json_writer& pieces(text_pieces json);
  /// The elements of the array that was just begun: `write(out, i)` for each `i` below `count`, in
  /// this order. Into pieces, each is written when those before it have been read; `write` is
  /// copied, and what it refers to outlives the pieces.
  template<class Write>
  json_writer& long_elements(std::size_t count, Write write) {
    if (pieces_ != nullptr && count > 1)
      return add_elements(count, std::move(write));
    for (std::size_t i = 0; i < count; ++i)
      write(*this, i);
    return *this;
  }
  /// What is written next borrows from `owner`: pieces keep it.
  json_writer& keep(std::shared_ptr<const void> owner);

  /// key + string, the most frequent pair.
  json_writer& member(std::string_view name, std::string_view text) {
    return key(name).string(text);
  }
  /// The same, left out if empty.
  json_writer& optional_member(std::string_view name, std::string_view text) {
    return text.empty() ? *this : key(name).string(text);
  }

private:
  void separate();
  json_writer& add_elements(std::size_t count,
                            std::function<void(json_writer&, std::size_t)> write);

  std::string& out_;
  text_pieces* pieces_ = nullptr; ///< Then `out_` is its end.
  bool first_ = true;             ///< Nothing stands before in this object or array.
  bool after_key_ = false;
};

} // namespace troupe
