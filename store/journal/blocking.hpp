// Calls of a disk whose end is waited for: at the start, before anything else runs.
#pragma once

#include "store/journal/disk.hpp"
#include <troupe/protocol/errc.hpp>

#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace troupe::journal {

template<class T>
struct ended_call {
  std::error_code failed;
  T value{};
};

/// Turns `files` until the call that `begin` makes has ended. A disk that loses the call is
/// answered with io_error.
template<class T, class Begin>
[[nodiscard]] ended_call<T> wait_for(disk& files, Begin begin) {
  std::optional<ended_call<T>> out;
  begin([&out](std::error_code failed, T value) { out = {failed, std::move(value)}; });
  while (!out)
    if (!files.turn() && !files.wait())
      return {std::make_error_code(std::errc::io_error)};
  return std::move(*out);
}

/// What a message about `file` says of a call that failed.
[[nodiscard]] inline error describe_unreadable(const std::string& file, std::error_code failed) {
  return make_error(errc::store_unreadable,
                    "The journal file \"" + file + "\" cannot be read: " + failed.message() + ".");
}

/// The whole content of a file.
[[nodiscard]] inline ended_call<std::string> read_file(disk& files, const std::string& name) {
  const auto file = wait_for<file_id>(
      files, [&](auto done) { files.open(name, open_mode::reading, std::move(done)); });
  if (file.failed)
    return {file.failed};
  const auto size =
      wait_for<std::uint64_t>(files, [&](auto done) { files.size(file.value, std::move(done)); });
  ended_call<std::string> out{size.failed};
  if (!size.failed)
    out = wait_for<std::string>(
        files, [&](auto done) { files.read(file.value, 0, size.value, std::move(done)); });
  files.close(file.value);
  return out;
}

} // namespace troupe::journal
