// Files of text that the program reads and writes, and its output: whatever goes wrong is said with
// the reason of the system.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>

namespace troupe::sim {

[[nodiscard]] result<std::string> read_text(const std::string& path);
[[nodiscard]] result<void> write_text(const std::string& path, const std::string& text);
/// Whether write_text could write there. It leaves no file behind.
[[nodiscard]] result<void> check_writable(const std::string& path);

/// To the standard output, at once. Throws std::system_error if that cannot be written.
void print(const std::string& text);

} // namespace troupe::sim
