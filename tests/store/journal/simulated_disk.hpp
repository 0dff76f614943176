// A disk in memory that loses power, tears writes, refuses calls and is full, all from one seed.
#pragma once

#include "store/journal/disk.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace troupe::journal {

enum class disk_call : std::uint8_t {
  open,
  close,
  allocate,
  write,
  sync,
  read,
  size,
  sync_directory,
  rename,
  remove,
  list,
};

/// A call in the log of a disk.
struct logged_call {
  disk_call kind = disk_call::open;
  std::string file;
};

class simulated_disk final : public disk {
public:
  explicit simulated_disk(std::uint64_t seed = 1) : dice_(seed) {}

  // -- in the test's hand -------------------------------------------------------------------------

  /// Asked before each call is carried out; an error refuses it. A refused write may have written a
  /// part, and a refused sync loses what it should have synced.
  std::function<std::error_code(disk_call, const std::string& file)> refuse;
  /// Bytes of all files; a call that needs more is refused with ENOSPC.
  std::uint64_t capacity = std::uint64_t{1} << 40;
  /// What is written as a whole or not at all when the power fails.
  std::uint64_t sector_bytes = 512;
  /// Calls that were carried out.
  std::vector<logged_call> log;

  /// The power fails: calls under way are lost, and each sector that was written and not synced is
  /// there or not. Names that were not synced are there or not.
  void lose_power();
  /// The process ends: calls under way are lost, everything written stays.
  void end_process();

  /// Bytes of all files.
  [[nodiscard]] std::uint64_t used() const;
  [[nodiscard]] std::size_t calls_under_way() const { return calls_.size(); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// The content of a file as a reader sees it; for damage.
  [[nodiscard]] std::string& content(const std::string& name);
  void erase(const std::string& name);
  /// Makes the file, if there is none, with this content; all of it is safe.
  void restore(const std::string& name, std::string content);

  // -- disk ---------------------------------------------------------------------------------------

  void open(const std::string& name, open_mode how, disk_read_done<file_id> done) override;
  void close(file_id file) override;
  void allocate(file_id file, std::uint64_t size, disk_done done) override;
  void write(file_id file, std::uint64_t offset, std::string_view bytes, disk_done done) override;
  void sync(file_id file, disk_done done) override;
  void read(file_id file, std::uint64_t offset, std::size_t size,
            disk_read_done<std::string> done) override;
  void size(file_id file, disk_read_done<std::uint64_t> done) override;
  void sync_directory(disk_done done) override;
  void rename(const std::string& from, const std::string& to, disk_done done) override;
  void remove(const std::string& name, disk_done done) override;
  void list(disk_read_done<std::vector<std::string>> done) override;
  /// Carries out one call: of a file drawn by chance, the first of that file.
  bool turn() override;
  bool wait() override;

private:
  /// Bytes that a reader sees, and that survive a power failure.
  struct inode {
    std::string seen;
    std::string safe;
    /// Sectors that differ and may still become safe; others were lost by a failed sync.
    std::map<std::uint64_t, bool> unsafe_sectors;
    bool is_size_unsafe = false;
  };
  using inode_ptr = std::shared_ptr<inode>;

  struct waiting_call {
    std::uint64_t queue = 0; ///< Calls of one queue keep their order.
    std::function<void()> carry_out;
  };

  void submit(std::uint64_t queue, std::function<void()> carry_out);
  [[nodiscard]] std::error_code refusal(disk_call kind, const std::string& file);
  void mark(inode& file, std::uint64_t offset, std::uint64_t size) const;
  std::uint64_t queue_of(file_id file) { return static_cast<std::uint64_t>(file) + 1; }

  std::mt19937_64 dice_;
  std::map<std::string, inode_ptr> names_;
  std::map<std::string, inode_ptr> safe_names_;
  std::vector<std::pair<std::string, inode_ptr>> open_; ///< By file_id; null: closed.
  std::deque<waiting_call> calls_;
};

} // namespace troupe::journal
