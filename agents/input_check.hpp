// Reading an agent's `input`: members by name and type, with errors that name the JSON pointer and,
// for a name that is nearly right, the right one. Plain functions, used by check_input before
// anything runs and again when an attempt starts.
//
// Not object_reader (protocol/json/object_reader.hpp), which goes on after an error with the
// default of a member: here a member that has no value yet, because it refers to another task, is
// neither absent nor wrong, and how the rest is read depends on the values before it (a step's
// action, the kind of an artifact's content). So each function here returns a value or the error.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// When an input is looked at: before anything runs a string may still be a reference that will
/// become something else. What a program prints is `literal`: there `${` is text like any other.
enum class input_stage : std::uint8_t { written, resolved, literal };

/// The reason of an input that does not fit: errc::invalid_params, `pointer` as its field.
[[nodiscard]] error input_error(std::string_view pointer, std::string message);

/// `pointer` extended by one member's name (RFC 6901 escapes).
[[nodiscard]] std::string below(std::string_view pointer, std::string_view name);
[[nodiscard]] std::string below(std::string_view pointer, std::size_t index);

/// Refuses the first member of `from` that is not in `known`.
[[nodiscard]] result<void> refuse_unknown(const boost::json::object& from,
                                          std::span<const std::string_view> known,
                                          std::string_view pointer);

/// Whether `value` may turn into something else once references are replaced.
[[nodiscard]] bool is_pending(const boost::json::value& value, input_stage stage);
/// Whether anything within `value` may.
[[nodiscard]] bool has_pending(const boost::json::value& value, input_stage stage);

/// A member of type string, still with its references; `fallback` if absent.
[[nodiscard]] result<std::string> read_string(const boost::json::object& from,
                                              std::string_view name, std::string_view pointer,
                                              std::string fallback = {});
/// A finite number from 0 to `max`.
[[nodiscard]] result<double> read_amount(const boost::json::value& value, std::string_view pointer,
                                         double max);

/// The input of an order. A lone task has none: its first message may bring one as a data part, or
/// as text that is a JSON object. Not for agents that could do harm.
[[nodiscard]] order_input input_of(const order& order);

/// An agent's own failure for an input that does not fit; trying again is of no use.
[[nodiscard]] report_failed input_failure(const error& cause);

} // namespace troupe
