// What scripts and processes say while they work, read from JSON: progress trackers and artifacts.
// Shared by `scripted` and by the JSON lines of `command`, so that both speak the same way. Plain
// values; one of each per attempt.
#pragma once

#include "agents/input_check.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/progress.hpp>

#include <boost/json/value.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// One tracker, or `{"trackers": [...], "aggregate"?}`: a whole snapshot.
struct progress_step {
  std::vector<progress_tracker> trackers;
  std::optional<progress_aggregate> aggregate;
  bool whole = false;
};

/// Reads the value of a `progress` member. `startedAt` and `updatedAt` are RFC 3339.
[[nodiscard]] result<progress_step> read_progress(const boost::json::value& from,
                                                  const std::string& pointer);

/// Trackers seen so far that have not ended; a snapshot also holds those that ended in the last
/// step.
class tracker_set {
public:
  /// The report for this step. A step that breaks the extension's rules is handed on as it is (the
  /// task refuses and logs it) and not remembered.
  [[nodiscard]] progress_report apply(const progress_step& step);

private:
  std::vector<progress_tracker> active_;
};

/// Reads the value of an `artifact` member: `name`, one of `text`, `data`, `raw` (base64) and
/// `url`, `mediaType`, `filename`, `append`, `lastChunk`. Text in a resolved input may have become
/// other JSON than a string (a reference to data): that is written out.
[[nodiscard]] result<report_artifact>
read_artifact_step(const boost::json::value& from, const std::string& pointer, input_stage stage);

/// Gives artifacts their ids: the name, the second of a name `<name>-2`; a chunk to append keeps
/// the id of what it continues.
class artifact_namer {
public:
  [[nodiscard]] report_artifact name(report_artifact report);

private:
  std::map<std::string, std::uint32_t, std::less<>> count_;
};

/// Reads the value of an `ask` or `askAuth` member: a text, or `prompt` with `schema`, `data`,
/// `expiresAfter` and `remindAfter` (both in seconds). Text in a resolved input may have become
/// other JSON, as in read_artifact_step.
[[nodiscard]] result<report_question> read_question(const boost::json::value& from,
                                                    const std::string& pointer, bool auth,
                                                    input_stage stage);

/// A message of the agent with one text part.
[[nodiscard]] report_message agent_message(std::string text);

} // namespace troupe
