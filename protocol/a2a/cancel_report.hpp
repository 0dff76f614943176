// How the cancel of tasks that are done elsewhere went, in the metadata of the answer to a cancel,
// and how long that answer may take. Plain functions.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace troupe {

/// The member of the metadata of a task or an objective: a list of entries, one for each task that
/// is done elsewhere: `path` (the ids of the tasks on the way to it, ours first), `target` (as the
/// last server on the way names it), `outcome` and `reason`.
inline constexpr std::string_view cancel_report_key = "troupe/v1/cancel";
/// Beside it: how many entries are left out (cancel_entries_max); absent: none.
inline constexpr std::string_view cancel_left_out_key = "troupe/v1/cancel-left-out";
/// Entries of one answer.
inline constexpr std::size_t cancel_entries_max = 1'000;
/// The longest text of an entry of another server, in bytes; longer ones are cut.
inline constexpr std::size_t cancel_text_bytes_max = 1'024;
/// Tasks on the path of an entry of another server; one with more is dropped.
inline constexpr std::size_t cancel_path_max = 16;

/// `outcome`: `acknowledged`, `already ended`, `refused` or `no answer`. Empty texts are left out.
[[nodiscard]] boost::json::object cancel_entry(std::string_view task, std::string_view target,
                                               std::string_view outcome, std::string_view reason);

/// The entries of another server's answer, as far as they are entries.
[[nodiscard]] boost::json::array cancel_entries_in(const boost::json::object& metadata);

/// Entries of another server, for the answer to our own client: `task` stands before each path.
[[nodiscard]] boost::json::array entries_below(std::string_view task, boost::json::array entries);

/// The member of a cancel's metadata: how long the answer may take, in milliseconds. Each server
/// tells the next one less, so that the first one gets all answers in time.
inline constexpr std::string_view cancel_wait_key = "troupe/v1/cancel-wait";

/// Takes it out of the metadata; nothing if there is none, or it is no number of milliseconds.
[[nodiscard]] std::optional<std::chrono::milliseconds>
take_cancel_wait(boost::json::object& metadata);

/// What the next server is told by one that waits for so long.
[[nodiscard]] constexpr std::chrono::milliseconds
cancel_wait_beyond(std::chrono::milliseconds own) noexcept {
  return own - own / 8;
}

} // namespace troupe
