// Reads plans that were recorded in the real world: a directory of documents (WfFormat or OPT), one
// such document, or a gzipped file of JSON lines. Data stays where it is; nothing of it is part of
// the tree.
#pragma once

#include <troupe/protocol/spec.hpp>

#include <string>
#include <vector>

namespace troupe::bench {

/// One plan of one objective, and how long its longest path takes, in the seconds of its source.
struct instance {
  std::string name;
  objective_spec objective; ///< Every task sleeps: `input.seconds`.
  double critical_path_s = 0.0;
  std::size_t tasks = 0;
  std::size_t width = 0; ///< How many run at once at most if each starts as soon as it may.
};

/// `path`: a directory (every `.json` and `.jsonl.gz` in it and below), a `.json`, or a
/// `.jsonl.gz`. Throws std::runtime_error with file and line. A JSON line: `tasks` or `steps`, an
/// array of {n: name, s: seconds, d: positions}, and `instance` or `title`.
[[nodiscard]] std::vector<instance> read_instances(const std::string& path);

/// The same with all its times multiplied, so that the critical path takes `seconds`. One without
/// any time stays as it is.
[[nodiscard]] instance scaled_to(instance value, double seconds);

} // namespace troupe::bench
