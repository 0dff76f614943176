// One directory of files, as the journal uses it. Every call has a completion, which runs when the
// owner of the disk turns it. So a test or a simulation decides when a call ends, in which order,
// with which error, and what a power failure leaves of the bytes that were not synced.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace troupe::journal {

/// An open file of a disk.
enum class file_id : std::uint32_t {};

/// Errors are those of the operating system, in `std::generic_category()`.
using disk_done = std::function<void(std::error_code failed)>;

/// The value means nothing if the call failed.
template<class T>
using disk_read_done = std::function<void(std::error_code failed, T value)>;

enum class open_mode : std::uint8_t {
  reading,  ///< The file must exist, and is not written.
  existing, ///< The file must exist.
  emptied,  ///< The file is made, or loses its content.
};

/// Calls about one file end in the order in which they were made. One thread makes the calls and
/// turns the disk. `bytes` of a write stay where they are until it ends. No call throws.
class disk {
public:
  disk() = default;
  disk(const disk&) = delete;
  disk& operator=(const disk&) = delete;
  virtual ~disk() = default;

  /// Opens a file of the directory; `name` has no slash.
  virtual void open(const std::string& name, open_mode how, disk_read_done<file_id> done) = 0;
  /// Ends the calls about `file` in order, then closes it.
  virtual void close(file_id file) = 0;
  /// Makes the file `size` bytes long and reserves the room, so that a write within it cannot meet
  /// a full disk. A file system that cannot reserve only makes it so long.
  virtual void allocate(file_id file, std::uint64_t size, disk_done done) = 0;
  /// Writes all bytes or fails. They survive the process once it ends, and power failure only after
  /// `sync`.
  virtual void write(file_id file, std::uint64_t offset, std::string_view bytes,
                     disk_done done) = 0;
  /// Makes all earlier writes to the file safe. If it fails, none of them may be relied on, not
  /// even after another `sync` that succeeds: the operating system may have dropped them. Fails
  /// also if the file was removed from its directory.
  virtual void sync(file_id file, disk_done done) = 0;
  /// At most `size` bytes; fewer at the end of the file.
  virtual void read(file_id file, std::uint64_t offset, std::size_t size,
                    disk_read_done<std::string> done) = 0;
  virtual void size(file_id file, disk_read_done<std::uint64_t> done) = 0;
  /// Makes the names of files safe: those made, renamed and removed before.
  virtual void sync_directory(disk_done done) = 0;
  /// Replaces `to` if it exists.
  virtual void rename(const std::string& from, const std::string& to, disk_done done) = 0;
  virtual void remove(const std::string& name, disk_done done) = 0;
  /// The names of all files, in no order.
  virtual void list(disk_read_done<std::vector<std::string>> done) = 0;

  /// Runs the completions of calls that have ended. False if there were none.
  virtual bool turn() = 0;
  /// Returns when `turn` has something to run; false at once if no call is under way.
  virtual bool wait() = 0;
};

} // namespace troupe::journal
