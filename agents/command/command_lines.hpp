// What a `command` and its program say to each other: the order as JSON on the program's stdin, and
// with `"protocol": "jsonl"` one JSON object a line on its stdout. Plain functions and values;
// docs: agents/README.md.
#pragma once

#include "agents/work_reports.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/text_pieces.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace troupe {

/// `{"task": {"id", "attempt", "name", "description"}, "objective", "context", "input",
/// "dependencies": [{"id", "key", "name", "artifacts"}], "messages", "references": [{"id",
/// "artifacts", "pinned"}], "acceptedOutputModes", "traceparent", "tracestate"}` and a newline;
/// artifacts and messages in the shapes of A2A 1.0, empty members left out. The pieces keep the
/// order; no long text of it is copied.
[[nodiscard]] text_pieces order_line(const order_ptr& order);

/// `{"answer": text, "message": {...}}` for an answer, `{"text": text, "message": {...}}` for a
/// message that answers no question, with `references` (see order_line) if there are any; and a
/// newline. The pieces keep both.
[[nodiscard]] text_pieces input_line(const message_ptr& input,
                                     std::vector<referenced_task> references, bool answers);

/// What a line of a program may be, as docs/agents.md lists it.
inline constexpr auto jsonl_members = std::to_array<std::string_view>(
    {"progress", "message", "artifact", "ask", "askAuth", "complete", "fail"});

/// Puts lines together from pieces of output and reads them.
class line_reader {
public:
  /// What a line asks for, or the reason why it is wrong (it names the line).
  using item = std::variant<agent_report, error>;

  void feed(std::string_view bytes) { buffer_ += bytes; }
  /// Bytes that are kept for a line that has not ended yet.
  [[nodiscard]] std::size_t kept() const noexcept { return buffer_.capacity(); }
  /// The next whole line's report; nothing if there is none yet. Empty lines are skipped.
  [[nodiscard]] std::optional<item> next();
  /// The same for what stands after the last newline, once nothing more can come.
  [[nodiscard]] std::optional<item> last();

private:
  [[nodiscard]] item read(std::string_view line);
  [[nodiscard]] result<agent_report> read_report(std::string_view line);
  [[nodiscard]] error wrong(const std::string& why) const;

  std::string buffer_;
  std::size_t begin_ = 0;   ///< Of the first line not yet read.
  std::size_t scanned_ = 0; ///< No newline before this.
  std::size_t line_ = 0;
  tracker_set trackers_;
  artifact_namer namer_;
};

} // namespace troupe
