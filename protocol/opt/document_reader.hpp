// What the readers of plan documents add to the reader of JSON objects: names and ids with their
// limits, lists of dependencies, and what an unknown member may have been meant for. Errors say
// where by JSON pointer, what was expected and what was found. Internal to protocol/.
#pragma once

#include "protocol/json/object_reader.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/limits_opt.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace troupe::opt {

using wire::describe;
using wire::place;

/// What a text may be.
struct text_rule {
  std::size_t bytes_max;
  bool required = false;
  bool single_line = true; ///< No control characters: it is shown in terminals and logs.
};

inline constexpr text_rule name_rule{.bytes_max = name_bytes_max};
inline constexpr text_rule description_rule{.bytes_max = description_bytes_max,
                                            .single_line = false};

/// The priority of a task, which an operation of a change and a plan document read alike; nothing
/// unless it is within `priority_range`.
[[nodiscard]] std::optional<std::int32_t> priority_from(const boost::json::value& from) noexcept;
inline constexpr std::string_view priority_range = "a whole number from -2147483647 to 2147483647";

/// The same of an objective or a plan.
inline constexpr std::string_view shared_priority_range = "a whole number from -100 to 100";

/// What the readers of one document share.
struct document_reading {
  explicit document_reading(unknown_members how, bool texts_too = false)
      : rule(how), texts_are_values(texts_too),
        failure(wire::where_style::pointer,
                how == unknown_members::refuse ? errc::invalid_document : errc::invalid_params) {}

  [[nodiscard]] bool failed() const noexcept { return static_cast<bool>(failure); }

  unknown_members rule;
  bool texts_are_values; ///< Numbers and flags may be texts, and names in snake_case.
  wire::first_failure failure;
  std::size_t edges = 0; ///< Dependencies read so far.
};

/// The members of one object of a document. Exact names; a JSON null counts as absent on the wire,
/// and as a value in a file.
class document_reader : public wire::object_reader {
public:
  /// `called`: the object in messages, "a task". Keeps references to the first three arguments.
  document_reader(const boost::json::value& from, const place& where, document_reading& reading,
                  std::string_view called)
      : object_reader(from, where, reading.failure,
                      {.is_lenient = reading.texts_are_values,
                       .null_is_absent = reading.rule == unknown_members::ignore},
                      called),
        reading_(reading) {}

  /// In a file; on the wire they are ignored.
  void refuse_unknown(member_of owner) const;
  [[nodiscard]] std::string text(std::string_view name, text_rule rule) const;
  /// A text that replaces another one; empty if absent. An update cannot take a text away: one that
  /// is there and empty is refused.
  [[nodiscard]] std::string edited_text(std::string_view name, text_rule rule) const;
  /// An id a client may choose; empty if absent.
  [[nodiscard]] std::string id(std::string_view name, bool required = false) const;
  /// From 0 to `max`; `expected` says so in messages.
  [[nodiscard]] std::optional<double> number(std::string_view name, double max,
                                             std::string_view expected) const;
  [[nodiscard]] std::optional<milliseconds> seconds(std::string_view name) const;
  /// The member "priority" of an objective or a plan (priority_max).
  [[nodiscard]] std::optional<std::int32_t> shared_priority() const;
  /// As a copy in its own memory, as deep as the document may be.
  [[nodiscard]] boost::json::object free_object(std::string_view name) const;
  [[nodiscard]] const boost::json::array* array(std::string_view name, std::string_view of,
                                                std::size_t max, std::string_view limit_name) const;
  /// Appends the names in the array `name`; a whole number is a position and becomes
  /// `<prefix><number>`.
  void names(std::vector<std::string>& out, std::string_view name, std::string_view prefix) const;

private:
  [[nodiscard]] std::string checked_text(const boost::json::value& found, const place& at,
                                         std::string_view name, text_rule rule) const;
  void missing(std::string_view name) const;

  document_reading& reading_;
};

} // namespace troupe::opt
