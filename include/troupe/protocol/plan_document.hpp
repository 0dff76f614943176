// Reads the file of `troupe run FILE`: an OPT objective document, or a WfCommons WfFormat 1.5
// instance. The content shows which.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

enum class document_kind : std::uint8_t { opt, wfformat };

/// A value that the person who runs the file may give: `${params.name}` in the inputs of tasks.
struct plan_param {
  std::string name;
  std::string description;                 ///< For people; may be empty.
  std::optional<boost::json::value> value; ///< The default; absent: one must be given.

  friend bool operator==(const plan_param&, const plan_param&) = default;
};

struct plan_document {
  document_kind kind = document_kind::opt;
  /// Of kind opt: the text is a plan, not an objective, so that `/plans/0` is its root.
  bool is_bare_plan = false;
  objective_spec objective;
  std::vector<plan_param> params; ///< In the order of the file; their places are not filled yet.
  boost::json::object env;        ///< Variables of all commands: strings, numbers, truth values.
};

/// Puts values in the places of `${params.name}` in all inputs of tasks and in `env`: those that
/// are `given`, else the defaults. What is given is a number or a truth value if the default is
/// one, else a text. A text that is such a place and nothing else becomes the value itself. Errors:
/// invalid_params (one is missing, not declared, given twice, or not of the type of its default),
/// invalid_reference (a place names no parameter; `field` is its task, or `/env`).
[[nodiscard]] result<void>
fill_params(plan_document& document, const std::vector<std::pair<std::string, std::string>>& given);

/// `text` is the whole file. Errors are errc::invalid_document (or parse_error) and name line,
/// column and JSON pointer: `line 12 (/plans/0/tasks/3/agnet): unknown member "agnet"; did you mean
/// "agent"?` WfFormat: each task becomes a `sleep` of its measured `runtimeInSeconds`; parents
/// become dependencies.
[[nodiscard]] result<plan_document> read_plan_document(std::string_view text);

/// The line (from 1) on which the value of a JSON pointer (RFC 6901) begins; 0 if there is none.
using find_line_fn = std::function<std::size_t(std::string_view pointer)>;

/// The same of a document that is parsed already, in any format; `line_of` finds the lines.
[[nodiscard]] result<plan_document> read_plan_document(boost::json::value document,
                                                       const find_line_fn& line_of);

/// The line (from 1) on which the value that `pointer` (RFC 6901) names begins in `json`; 0 if
/// there is none.
[[nodiscard]] std::size_t line_of(std::string_view json, std::string_view pointer);

} // namespace troupe
