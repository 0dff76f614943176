// The files of a server in a world: the journal on a simulated disk (tests/store/journal/
// simulated_disk.hpp) whose calls take time and fail, and the tables in memory, or in RocksDB's
// file system in memory. Both outlive the server's process.
#pragma once

#include "tests/store/journal/simulated_disk.hpp"

#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "sim/memory_tables.hpp"
#include "sim/table_files.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

class disk final : public journal::disk {
public:
  explicit disk(world& in);
  ~disk() override;

  /// Of the store, for all worlds of this process: the files below it are in memory.
  [[nodiscard]] static const std::string& directory();
  /// Of RocksDB's tables, if the world has them.
  [[nodiscard]] rocksdb::Env& table_env() noexcept { return table_files_->env(); }
  [[nodiscard]] memory_tables& tables() noexcept { return tables_; }
  /// While a server starts or closes, it waits for the disk, and no time passes.
  void wait_for_calls(bool is_waiting) { is_waiting_ = is_waiting; }
  /// The process dies: from now on every call fails. Of writes that were
  /// asked for before, a part may be written. The tables are what they are now.
  void die();
  /// The process dies after so many further calls, unless `is_recovered` comes first.
  void die_in_recovery(std::uint64_t calls) { calls_until_death_ = calls; }
  /// The process, which closes its journal now, dies after so many further calls.
  void die_in_close(std::uint64_t calls) {
    calls_until_death_ = calls;
    is_closing_ = true;
  }
  /// Calls fail, until `is_recovered`.
  void fail_at_start() { fails_at_start_ = true; }
  void is_recovered() {
    calls_until_death_.reset();
    fails_at_start_ = false;
  }
  /// One has failed since `fail_at_start`: the start may be refused.
  [[nodiscard]] bool has_failed_at_start() const noexcept { return has_failed_at_start_; }
  [[nodiscard]] bool is_dead() const noexcept { return is_dead_; }
  /// There is room for so many bytes more, until `empty`.
  void fill(std::uint64_t bytes_left);
  void empty();
  /// Once the process is gone. `is_power_lost`: what was not synced may be lost.
  void after_death(bool is_power_lost);
  /// Changes one bit of the journal, at a place that `chance` draws. False: it has nothing.
  bool damage(dice& chance);
  /// The same in a group that later ones know to be synced: after a power failure damage to the
  /// last groups cannot be told from a write that was cut short (store/journal/frame.hpp).
  bool damage_safe_group(dice& chance);
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
  [[nodiscard]] bool refuses_table_read();
  void note(journal::disk_call kind, std::error_code how);
  void note_death() const;
  void change_bit(const std::string& name, std::size_t at, dice& chance);
  /// Of the segments that have frames, the one that was begun last at the end.
  [[nodiscard]] std::vector<std::string> segments();
  /// Empty: there is none.
  [[nodiscard]] std::string newest_segment();
  void note_full(std::error_code how);
  void plant_after_death();
  void cut_tail();
  void forge();

  world& in_;
  dice chance_;
  dice chance_at_start_;
  dice chance_of_tables_;
  journal::simulated_disk files_;
  memory_tables tables_;
  std::optional<table_files> table_files_; ///< In place of `tables_`.
  bool is_waiting_ = false;
  bool is_dead_ = false;
  std::optional<std::uint64_t> calls_until_death_;
  bool is_closing_ = false;
  bool fails_at_start_ = false;
  bool has_failed_at_start_ = false;
  bool was_full_ = false; ///< Somebody has met it since `fill`.
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
