// How the wire codecs read JSON objects leniently (docs/a2a.md, "JSON"): camelCase and snake_case names, null as absent,
// numbers as strings, unknown members ignored. Internal to protocol/. The first thing that is wrong is kept with its
// path; reading goes on with defaults, so that callers check once, at the end.
#pragma once

#include "protocol/errc.hpp"
#include "protocol/time.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::wire {

/// A place in a request: a chain of steps upwards that lives on the stack of the readers; spelled out on errors only.
struct place {
  const place* up = nullptr;
  std::string_view name; ///< Empty for the root of `params` and for an element.
  std::optional<std::size_t> index;

  /// `message.parts[0].text`; empty for the root.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] place operator/(std::string_view member) const { return {this, member, std::nullopt}; }
  [[nodiscard]] place operator/(std::size_t element) const { return {this, {}, element}; }
};

/// What was wrong first. Paths in the message and in `field`: `message.parts: must not be empty`.
class first_failure {
public:
  /// `root`: what the message calls the whole, whose path is empty.
  explicit first_failure(std::string_view root = "params") : root_(root) {}

  void set(const place& where, std::string_view what);
  [[nodiscard]] explicit operator bool() const noexcept { return failure_.has_value(); }
  [[nodiscard]] error take() { return std::move(*failure_); }

private:
  std::string_view root_;
  std::optional<error> failure_;
};

/// "a number", "an object", ... as it stands in messages.
[[nodiscard]] std::string_view describe(const boost::json::value& found) noexcept;

/// The members of one object. All getters return their default when the member is absent, null or wrong.
class object_reader {
public:
  /// Fails if `from` is not an object. Keeps references to all three arguments.
  object_reader(const boost::json::value& from, const place& where, first_failure& failure);

  [[nodiscard]] const place& where() const noexcept { return where_; }
  /// Null if absent or JSON null. `name` in camelCase.
  [[nodiscard]] const boost::json::value* find(std::string_view name) const;
  /// The same, but a JSON null is there.
  [[nodiscard]] const boost::json::value* find_even_null(std::string_view name) const;
  void fail(std::string_view name, std::string_view what) const { failure_.set(where_ / name, what); }

  [[nodiscard]] std::string text(std::string_view name) const;
  /// A text of at most `id_bytes_max` bytes; "" counts as absent.
  [[nodiscard]] std::string id(std::string_view name) const;
  [[nodiscard]] std::string required_id(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name, bool fallback) const;
  /// A whole number from `min` to `max`, also as a string or with a fraction of zero.
  [[nodiscard]] std::optional<std::uint32_t> whole_number(std::string_view name, std::uint32_t min,
                                                          std::uint32_t max) const;
  [[nodiscard]] std::optional<timestamp> time(std::string_view name) const;
  /// A Struct of at most `metadata_depth_max` levels, as a copy in its own memory.
  [[nodiscard]] boost::json::object object(std::string_view name) const;
  /// Any JSON of at most `metadata_depth_max` levels, as a copy in its own memory; null if absent.
  [[nodiscard]] boost::json::value tree(std::string_view name) const;
  /// At most `message_names_max` texts of at most `id_bytes_max` bytes (or any length).
  [[nodiscard]] std::vector<std::string> texts(std::string_view name, std::size_t bytes_max) const;
  /// Null if absent or wrong.
  [[nodiscard]] const boost::json::array* array(std::string_view name) const;

private:
  void fail_type(std::string_view name, std::string_view expected, const boost::json::value& found) const;

  const boost::json::object* object_ = nullptr;
  const place& where_;
  first_failure& failure_;
  bool has_snake_case_ = false; ///< Some name holds a `_`, so that looking for the other spelling may help.
};

/// A whole number as ProtoJSON writes it: 5, 5.0, "5"; nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> whole_number_from(const boost::json::value& from) noexcept;

} // namespace troupe::wire
