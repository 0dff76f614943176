// Reads the file of `troupe run FILE`: an OPT objective document, or a WfCommons WfFormat 1.5
// instance. The content shows which.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

enum class document_kind : std::uint8_t { opt, wfformat };

struct plan_document {
  document_kind kind = document_kind::opt;
  /// Of kind opt: the text is a plan, not an objective, so that `/plans/0` is its root.
  bool is_bare_plan = false;
  objective_spec objective;
};

/// `text` is the whole file. Errors are errc::invalid_document (or parse_error) and name line,
/// column and JSON pointer: `line 12 (/plans/0/tasks/3/agnet): unknown member "agnet"; did you mean
/// "agent"?` WfFormat: each task becomes a `sleep` of its measured `runtimeInSeconds`; parents
/// become dependencies.
[[nodiscard]] result<plan_document> read_plan_document(std::string_view text);

/// The line (from 1) on which the value that `pointer` (RFC 6901) names begins in `json`; 0 if
/// there is none.
[[nodiscard]] std::size_t line_of(std::string_view json, std::string_view pointer);

} // namespace troupe
