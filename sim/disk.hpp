// The files of a server in a world: the journal on a simulated disk (tests/store/journal/
// simulated_disk.hpp) whose calls take time and fail, and the tables in RocksDB's file system in
// memory. Both outlive the server's process.
#pragma once

#include "tests/store/journal/simulated_disk.hpp"

#include <string>
#include <system_error>
#include <vector>

#include "sim/table_files.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

class disk final : public journal::disk {
public:
  explicit disk(world& in);
  ~disk() override;

  /// Of the store, for all worlds of this process: the files below it are in memory.
  [[nodiscard]] static const std::string& directory();
  /// Of the tables.
  [[nodiscard]] rocksdb::Env& tables() noexcept { return tables_.env(); }
  /// While a server starts or closes, it waits for the disk, and no time passes.
  void wait_for_calls(bool is_waiting) { is_waiting_ = is_waiting; }
  /// The process dies: from now on every call fails, and a write at most begins. The tables are
  /// what they are now. `may_write`: false for one that has done nothing since its start.
  void die(bool may_write);
  /// Once the process is gone. `is_power_lost`: what was not synced may be lost.
  void after_death(bool is_power_lost);
  /// Changes one byte of what the journal has, at a place that `chance` draws. False: it has none.
  bool damage(dice& chance);
  /// Takes the last damage back.
  void mend();
  [[nodiscard]] bool is_syncing() const noexcept { return syncs_waiting_ > 0; }

  // -- journal::disk ------------------------------------------------------------------------------

  void open(const std::string& name, journal::open_mode how,
            journal::disk_read_done<journal::file_id> done) override;
  void close(journal::file_id file) override;
  void allocate(journal::file_id file, std::uint64_t size, journal::disk_done done) override;
  void write(journal::file_id file, std::uint64_t offset, std::string_view bytes,
             journal::disk_done done) override;
  void sync(journal::file_id file, journal::disk_done done) override;
  void read(journal::file_id file, std::uint64_t offset, std::size_t size,
            journal::disk_read_done<std::string> done) override;
  void size(journal::file_id file, journal::disk_read_done<std::uint64_t> done) override;
  void sync_directory(journal::disk_done done) override;
  void rename(const std::string& from, const std::string& to, journal::disk_done done) override;
  void remove(const std::string& name, journal::disk_done done) override;
  void list(journal::disk_read_done<std::vector<std::string>> done) override;
  bool turn() override;
  bool wait() override;

private:
  [[nodiscard]] std::error_code refuse(journal::disk_call kind);
  void note(journal::disk_call kind, std::error_code how);
  void note_death() const;
  /// Of the segment that was begun last and has frames; empty: there is none.
  [[nodiscard]] std::string newest_segment();
  void plant_after_death();
  void cut_tail();
  void forge();

  world& in_;
  dice chance_;
  journal::simulated_disk files_;
  table_files tables_;
  bool is_waiting_ = false;
  bool is_dead_ = false;
  bool may_write_ = true;
  std::size_t syncs_waiting_ = 0;
  std::size_t segments_begun_ = 0;
  bool is_beginning_ = false; ///< A segment was made, and its name is not synced.
  std::string damaged_file_;
  std::size_t damaged_at_ = 0;
  char damaged_byte_ = 0;
  bool is_timed_ = false; ///< The next call ends at `free_at_`.
  nanoseconds free_at_{};
};

} // namespace troupe::sim
