// Acts out a list of steps: progress, artifacts, questions, failures. It drives tests, demos and
// scenarios, so that every behaviour of a task can be written down as data.
//
//   {"steps": [
//     {"progress": {"id": "pages", "progress": 3, "total": 10, "message": "...", "status":
//     "running"}},
//     {"sleep": 0.5},                                        seconds, times the run's time scale
//     {"artifact": {"name": "log", "text": "..."}},          or "data", "raw" (base64), "url" with
//                                                            "mediaType", "filename"; "append",
//                                                            "lastChunk" for chunks
//     {"message": "..."},
//     {"ask": "Which city?"}, {"artifactFromAnswer": {"name": "city"}}, {"askAuth": "..."},
//     {"fail": "reason"}, {"failUntilAttempt": 3, "reason": "..."}, {"reject": "reason"},
//     {"hang": true}, {"crash": "text"}, {"complete": "text"}]}
//
// The end of the list completes. A lone task may bring the list in its message, as data or as JSON
// text.
#pragma once

#include <troupe/actors/agent.hpp>

#include <array>
#include <string_view>

namespace troupe {

/// What its input may have (docs/agents.md).
inline constexpr auto script_members = std::to_array<std::string_view>({"steps"});

/// What a step may do (docs/agents.md).
inline constexpr auto step_names = std::to_array<std::string_view>(
    {"progress", "sleep", "artifact", "message", "ask", "askAuth", "artifactFromAnswer", "fail",
     "reject", "hang", "crash", "complete", "failUntilAttempt"});

class scripted_agent final : public agent {
public:
  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] std::vector<std::string> output_modes() const override { return {"*/*"}; }
  [[nodiscard]] std::string description() const override;
};

} // namespace troupe
