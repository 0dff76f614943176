// Reads one JSON object member by member. The first thing that is wrong is kept with its place;
// reading goes on with defaults, so that callers check once, at the end. There are two ways to say
// where: as a path, for what comes over the wire, and as a JSON pointer, for documents; and two
// ways: lenient with clients' JSON (docs/a2a.md, "JSON"), strict with what follows a schema.
// Internal to protocol/.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::wire {

/// A place in a JSON text: a chain of steps upwards that lives on the stack of the readers; spelled
/// out on errors only.
struct place {
  const place* up = nullptr;
  std::string_view name;            ///< A member. Of the root: what all places below begin with.
  std::optional<std::size_t> index; ///< An element instead.

  /// `message.parts[0].text`; empty for the root.
  [[nodiscard]] std::string path() const;
  /// `/message/parts/0/text` (RFC 6901); empty for the root.
  [[nodiscard]] std::string pointer() const;
  [[nodiscard]] place operator/(std::string_view member) const {
    return {this, member, std::nullopt};
  }
  [[nodiscard]] place operator/(std::size_t element) const { return {this, {}, element}; }
};

/// How errors say where something is wrong.
enum class where_style : std::uint8_t {
  path,    ///< The path in the message and in `field`: `message.parts: expected an array, found a
           ///< number`.
  pointer, ///< The member in the message, its pointer in `field`: `"parts" must be an array, found
           ///< the number 3`.
};

/// What was wrong first.
class first_failure {
public:
  /// `root`: what the message calls the whole, whose path is empty.
  explicit first_failure(std::string_view root = "params") : root_(root) {}
  first_failure(where_style style, errc code) : style_(style), code_(code) {}

  [[nodiscard]] where_style style() const noexcept { return style_; }
  void set(const place& where, std::string_view text) { set(code_, where, text); }
  void set(errc code, const place& where, std::string_view text);
  /// The member `name` at `where` is not what it must be: `expected` is that, "an array".
  void set_type(const place& where, std::string_view name, std::string_view expected,
                const boost::json::value& found);
  [[nodiscard]] explicit operator bool() const noexcept { return failure_.has_value(); }
  [[nodiscard]] error take() { return std::move(*failure_); }

private:
  where_style style_ = where_style::path;
  errc code_ = errc::invalid_params;
  std::string_view root_;
  std::optional<error> failure_;
};

/// "a number", "an object", ... as it stands in messages.
[[nodiscard]] std::string_view describe_kind(const boost::json::value& found) noexcept;
/// "the string \"abc\"", "the number 3", "an object", ...: with the value itself, never longer than
/// a line.
[[nodiscard]] std::string describe(const boost::json::value& found);

/// How an object may be written.
struct reading_options {
  bool is_lenient = true; ///< Also snake_case for camelCase, and numbers and booleans as strings.
  bool null_is_absent = true;
};

/// The members of one object. All getters return their default when the member is absent or wrong.
class object_reader {
public:
  /// Fails if `from` is not an object. Keeps references to the first three arguments. `called`: the
  /// object in that message, "a task".
  object_reader(const boost::json::value& from, const place& where, first_failure& failure,
                reading_options options = {}, std::string_view called = {});

  /// Whether it is an object.
  [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }

  [[nodiscard]] const place& where() const noexcept { return where_; }
  /// Null if absent, or a JSON null that counts as absent. `name` in camelCase.
  [[nodiscard]] const boost::json::value* find(std::string_view name) const;
  /// The same, but a JSON null is there.
  [[nodiscard]] const boost::json::value* find_even_null(std::string_view name) const;
  void fail(std::string_view name, std::string_view text) const {
    failure_.set(where_ / name, text);
  }
  void fail_type(std::string_view name, std::string_view expected,
                 const boost::json::value& found) const {
    failure_.set_type(where_ / name, name, expected, found);
  }
  /// Fails at the first member that is not among `known`.
  void refuse_unknown(std::initializer_list<std::string_view> known, std::string_view text) const;

  [[nodiscard]] std::string text(std::string_view name) const;
  /// A text of at most `id_bytes_max` bytes; "" counts as absent.
  [[nodiscard]] std::string id(std::string_view name) const;
  [[nodiscard]] std::string required_id(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name, bool fallback) const;
  /// A whole number from `min` to `max`, also with a fraction of zero.
  [[nodiscard]] std::optional<std::uint32_t> whole_number(std::string_view name, std::uint32_t min,
                                                          std::uint32_t max) const {
    const auto number = whole_number_64(name, min, max);
    return number ? std::optional{static_cast<std::uint32_t>(*number)} : std::nullopt;
  }
  /// The same up to 2^53 - 1, the largest that every JSON reader keeps.
  [[nodiscard]] std::optional<std::uint64_t>
  whole_number_64(std::string_view name, std::uint64_t min, std::uint64_t max) const;
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  [[nodiscard]] std::optional<timestamp> time(std::string_view name) const;
  /// A Struct of at most `metadata_depth_max` levels, as a copy in its own memory.
  [[nodiscard]] boost::json::object object(std::string_view name) const;
  /// Any JSON of at most `metadata_depth_max` levels, as a copy in its own memory; null if absent.
  [[nodiscard]] boost::json::value tree(std::string_view name) const;
  /// At most `message_names_max` texts of at most `id_bytes_max` bytes (or any length).
  [[nodiscard]] std::vector<std::string> texts(std::string_view name, std::size_t bytes_max) const;
  /// Null if absent or wrong. `expected`: what a message says it must be.
  [[nodiscard]] const boost::json::array* array(std::string_view name,
                                                std::string_view expected = "an array") const;

protected:
  const boost::json::object* object_ = nullptr;
  const place& where_;
  first_failure& failure_;
  reading_options options_;

private:
  bool has_snake_case_ =
      false; ///< Some name holds a `_`, so that looking for the other spelling may help.
};

/// A whole number as ProtoJSON writes it: 5, 5.0, and, if texts may be numbers, "5"; nothing for
/// anything else.
[[nodiscard]] std::optional<std::int64_t> whole_number_from(const boost::json::value& from,
                                                            bool texts_too = true) noexcept;

} // namespace troupe::wire
