// What tasks made as files: DIR/PLAN/TASK/FILE.
#pragma once

#include "apps/run/run_ending.hpp"
#include <troupe/protocol/errc.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A name from outside as one that is safe for a file: no `/`, no control characters, no leading
/// dot or dash, valid UTF-8, at most file_name_bytes_max bytes; `unnamed` if nothing is left.
[[nodiscard]] std::string safe_file_name(std::string_view name);

inline constexpr std::size_t file_name_bytes_max = 120;

/// A file to be written. The part outlives it.
struct result_file {
  std::string path; ///< Below the directory.
  const part* content = nullptr;
};

/// Names the files of one task after the other, each differently, also where upper and lower case
/// are the same.
class result_namer {
public:
  /// Each part is a file: named as it says, else as its artifact, with an ending by its type.
  [[nodiscard]] std::vector<result_file> name(const task_result& result);

private:
  std::string unused(std::string path);

  std::set<std::string> used_;
};

/// Makes `directory`. Errors: unavailable.
[[nodiscard]] result<void> make_output_directory(const std::string& directory);

/// Writes what the run has made into files, of all tasks or of the last ones, one task after the
/// other, with their directories; a file that is there is replaced, a symbolic link is not
/// followed. Errors: unavailable, of the first file that cannot be written; those of a task that
/// cannot be read.
[[nodiscard]] result<void> write_results(const std::string& directory, const record_reader& records,
                                         const objective_view& view, output_choice choice);

} // namespace troupe
