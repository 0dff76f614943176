// The pieces that history rows and stored records are made of. Internal to protocol/record*.cpp.
//
// Writers append compact JSON. Readers throw std::exception on a piece that is not as the writers
// make it; `read_row` turns that into errc::store_failed, so that nothing is thrown out of
// protocol/record/record.hpp.
#pragma once

#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/trace.hpp>

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::record {

// -- members of an object that is read ------------------------------------------------------------

/// Null if absent.
[[nodiscard]] inline const boost::json::value* find(const boost::json::object& in,
                                                    std::string_view name) {
  return in.if_contains({name.data(), name.size()});
}

[[nodiscard]] const boost::json::value& at(const boost::json::object& in, std::string_view name);
[[nodiscard]] std::string text_from(const boost::json::value& from);
/// Empty if absent.
[[nodiscard]] std::string text(const boost::json::object& in, std::string_view name);
[[nodiscard]] std::vector<std::string> texts(const boost::json::object& in, std::string_view name);
/// A copy in its own memory; empty if absent.
[[nodiscard]] boost::json::object tree(const boost::json::object& in, std::string_view name);
[[nodiscard]] timestamp time_from(const boost::json::value& from);

template<class Number>
[[nodiscard]] Number number(const boost::json::object& in, std::string_view name, Number fallback) {
  const auto* found = find(in, name);
  return found ? found->to_number<Number>() : fallback;
}

[[nodiscard]] inline timestamp time(const boost::json::object& in, std::string_view name,
                                    timestamp fallback) {
  const auto* found = find(in, name);
  return found ? time_from(*found) : fallback;
}

/// `from` is one of the functions `..._from(std::string_view)`.
template<class FromText>
[[nodiscard]] auto named(const boost::json::value& from, FromText from_text) {
  const auto& name = from.as_string();
  const auto found = from_text(std::string_view{name.data(), name.size()});
  if (!found)
    throw std::runtime_error("unknown name " + text_from(from));
  return *found;
}

// -- members of an object that is written; left out if empty --------------------------------------

void write_time(json_writer& out, std::string_view name, timestamp value);
void write_texts(json_writer& out, std::string_view name, const std::vector<std::string>& values);
void write_tree(json_writer& out, std::string_view name, const boost::json::object& value);

// -- values ---------------------------------------------------------------------------------------

/// The member `tr`; left out if empty.
void write_trace(json_writer& out, const trace_context& value);
void write_trace(json_writer& out, const trace_ptr& value);
/// Empty if absent. The path is bounded (trace_path_max).
[[nodiscard]] trace_context trace_of(const boost::json::object& in);

/// Nothing is written if nothing was used. [calls, prompt tokens, answer tokens, milliseconds,
/// cost, true if a part is estimated].
void write_usage(json_writer& out, const model_usage& value);
[[nodiscard]] model_usage usage_of(const boost::json::object& in);

/// What is kept for a command that comes again.
void write(json_writer& out, const change_report& value);
[[nodiscard]] change_report change_report_from(const boost::json::object& in);

void write(json_writer& out, const message& value);
void write(json_writer& out, const artifact& value);
void write(json_writer& out, const objective_spec& value);
void write(json_writer& out, const plan_spec& value);
/// `generated` is the id that its place gives it: it is not written.
void write_task_spec(json_writer& out, const task_spec& value, const task_id& generated);
[[nodiscard]] task_spec task_spec_from(const boost::json::object& in, const task_id& generated);
[[nodiscard]] message message_from(const boost::json::object& in);
[[nodiscard]] artifact artifact_from(const boost::json::object& in);
[[nodiscard]] objective_spec objective_spec_from(const boost::json::object& in);
[[nodiscard]] plan_spec plan_spec_from(const boost::json::object& in);

/// `null` for a null pointer.
template<class T>
void write_pointee(json_writer& out, const std::shared_ptr<const T>& value) {
  if (value)
    write(out, *value);
  else
    out.null();
}

/// Null for JSON null. `read` makes a T of an object.
template<class T>
[[nodiscard]] std::shared_ptr<const T> pointee(const boost::json::value& from,
                                               T (*read)(const boost::json::object&)) {
  return from.is_null() ? nullptr : std::make_shared<T>(read(from.as_object()));
}

// -- rows -----------------------------------------------------------------------------------------

[[nodiscard]] boost::json::value parse_row(std::string_view row, boost::json::storage_ptr memory);
[[nodiscard]] error damaged(std::string_view text, std::string_view row, const std::exception& why);

/// `read(const boost::json::object&)` on the row's object. `text` names the row in the error.
template<class T, class Read>
[[nodiscard]] result<T> read_row(std::string_view text, std::string_view row, Read read) {
  std::array<unsigned char, 4096> buffer; // Most rows fit.
  boost::json::monotonic_resource memory{buffer.data(), buffer.size()};
  try {
    const auto tree = parse_row(row, &memory);
    return read(tree.as_object());
  } catch (const std::exception& why) {
    return damaged(text, row, why);
  }
}

} // namespace troupe::record
