// What the readers of plan documents have in common: typed access to the members of JSON objects that remembers the first error with
// its JSON pointer and says what was expected and what was found. Internal to protocol/; pointers are only spelled out on errors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "protocol/codec_opt.hpp"
#include "protocol/errc.hpp"
#include "protocol/spec.hpp"

namespace troupe::opt {

/// A place in a document: a chain of steps upwards that lives on the stack of the readers.
struct place {
  const place* up = nullptr;
  std::string_view name;             ///< A member; at the root, a pointer that is taken as it is.
  std::optional<std::size_t> index;  ///< An element instead.

  /// RFC 6901.
  [[nodiscard]] std::string pointer() const;
  [[nodiscard]] place operator/(std::string_view member) const { return {this, member, std::nullopt}; }
  [[nodiscard]] place operator/(std::size_t element) const { return {this, {}, element}; }
};

/// "the string \"abc\"", "the number 3", "an object" …: a value as an error message shows it, never longer than a line.
[[nodiscard]] std::string describe(const boost::json::value& found);

/// Keeps the first error. After a failure everything returns defaults, so that callers check once, at the end.
class document_reader {
public:
  explicit document_reader(unknown_members rule) : rule_(rule) {}

  [[nodiscard]] unknown_members rule() const noexcept { return rule_; }
  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }
  [[nodiscard]] error take_failure() { return std::move(*failure_); }

  /// errc::invalid_params, or errc::invalid_document when reading a file.
  void fail(const place& where, std::string message);
  void fail(errc code, const place& where, std::string message);
  void fail_type(const place& where, std::string_view name, std::string_view expected, const boost::json::value& found);

  /// Null (and an error) if `from` is not an object. `what` is its name in the message: "a task".
  const boost::json::object* object(const boost::json::value& from, const place& where, std::string_view what);
  /// The member, or null if it is absent; a JSON null counts as absent on the wire, and as a value in a file.
  const boost::json::value* member(const boost::json::object& from, std::string_view name) const;
  void refuse_unknown(const boost::json::object& from, const place& where, member_of what);

  struct text_rule {
    std::size_t bytes_max;
    bool required = false;
    bool single_line = true; ///< No control characters: it is shown in terminals and logs.
  };
  std::string text(const boost::json::object& from, const place& where, std::string_view name, text_rule rule);
  /// An id a client may choose; empty if absent.
  std::string id(const boost::json::object& from, const place& where, bool required = false);
  std::string named_id(const boost::json::object& from, const place& where, std::string_view name, bool required);
  bool boolean(const boost::json::object& from, const place& where, std::string_view name, bool fallback);
  std::optional<std::uint64_t> whole_number(const boost::json::object& from, const place& where, std::string_view name,
                                            std::uint64_t min, std::uint64_t max);
  std::optional<double> number(const boost::json::object& from, const place& where, std::string_view name, double max,
                               std::string_view expected);
  std::optional<milliseconds> seconds(const boost::json::object& from, const place& where, std::string_view name);
  boost::json::object free_object(const boost::json::object& from, const place& where, std::string_view name);
  const boost::json::array* array(const boost::json::object& from, const place& where, std::string_view name,
                                  std::string_view of, std::size_t max, std::string_view limit_name);
  /// Appends the names in the array `name`; a whole number is a position and becomes `<prefix><number>`.
  void names(std::vector<std::string>& out, const boost::json::object& from, const place& where, std::string_view name,
             std::string_view prefix);

private:
  std::string checked_text(const boost::json::value& found, const place& where, std::string_view name, text_rule rule);
  void missing(const place& where, std::string_view name);

  unknown_members rule_;
  std::optional<error> failure_;
  std::size_t edges_ = 0;
};

} // namespace troupe::opt
