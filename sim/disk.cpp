#include "sim/disk.hpp"

#include "tests/support/temporary_directory.hpp"

#include <rocksdb/env.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace troupe::sim {

namespace {

/// All files of `from`, in a file system of their own.
std::unique_ptr<rocksdb::Env> copy_of(rocksdb::Env& from, const std::string& directory) {
  std::unique_ptr<rocksdb::Env> out(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  std::vector<std::string> names;
  if (!from.GetChildren(directory, &names).ok())
    return out;
  std::string content;
  for (const auto& name : names) {
    if (name == "." || name == ".." || name == "LOCK")
      continue;
    const auto path = directory + "/" + name;
    if (!rocksdb::ReadFileToString(&from, path, &content).ok()
        || !rocksdb::WriteStringToFile(out.get(), content, path, false).ok())
      throw std::runtime_error("the table file " + path + " cannot be copied");
  }
  return out;
}

} // namespace

disk::disk(world& in)
    : in_(in), chance_(in.stream("disk")), files_(in.stream("sectors").next()),
      tables_(rocksdb::NewMemEnv(rocksdb::Env::Default())) {
  files_.sector_bytes = in.how.sector_bytes;
  files_.refuse = [this](journal::disk_call kind, const std::string&) { return refuse(kind); };
}

disk::~disk() = default;

const std::string& disk::directory() {
  static const testing::temporary_directory shared;
  static const std::string path = shared / "data";
  return path;
}

void disk::die() {
  is_dead_ = true;
  kept_tables_ = copy_of(*tables_, directory());
}

void disk::after_death(bool is_power_lost) {
  if (is_power_lost)
    files_.lose_power();
  else
    files_.end_process();
  if (in_.how.bug == mutant::lost_tail)
    cut_tail();
  files_.log.clear();
  tables_ = std::move(kept_tables_);
  is_dead_ = false;
  is_timed_ = false;
  syncs_waiting_ = 0;
}

/// The end of the newest segment is gone, synced or not.
void disk::cut_tail() {
  constexpr std::size_t tail_bytes = 300;
  std::string newest;
  for (const auto& name : files_.names())
    if (name.starts_with("segment-") && files_.content(name).find_last_not_of('\0') > 4'096)
      newest = name;
  if (newest.empty())
    return;
  auto& content = files_.content(newest);
  const auto end = content.find_last_not_of('\0') + 1;
  const auto begin = end - std::min(end, tail_bytes);
  content.replace(begin, std::string::npos, content.size() - begin, '\0');
}

std::error_code disk::refuse(journal::disk_call kind) {
  if (is_dead_)
    return {EIO, std::generic_category()};
  using journal::disk_call;
  const bool may_fail = kind == disk_call::write || kind == disk_call::sync
                        || kind == disk_call::allocate || kind == disk_call::open
                        || kind == disk_call::sync_directory;
  if (is_starting_ || in_.is_calm || !may_fail || !chance_.chance(in_.how.disk_errors))
    return {};
  in_.story.reached(kind == disk_call::sync ? "a sync fails" : "a call of the disk fails");
  return {chance_.chance(0.5) ? EIO : ENOSPC, std::generic_category()};
}

// -- journal::disk --------------------------------------------------------------------------------

void disk::open(const std::string& name, journal::open_mode how,
                journal::disk_read_done<journal::file_id> done) {
  files_.open(name, how, std::move(done));
}
void disk::close(journal::file_id file) {
  files_.close(file);
}
void disk::allocate(journal::file_id file, std::uint64_t size, journal::disk_done done) {
  files_.allocate(file, size, std::move(done));
}
void disk::write(journal::file_id file, std::uint64_t offset, std::string_view bytes,
                 journal::disk_done done) {
  files_.write(file, offset, bytes, std::move(done));
}
void disk::sync(journal::file_id file, journal::disk_done done) {
  if (in_.how.bug == mutant::sync_before_disk)
    return files_.size(
        file, [done = std::move(done)](std::error_code failed, std::uint64_t) { done(failed); });
  ++syncs_waiting_;
  files_.sync(file, [this, done = std::move(done)](std::error_code failed) {
    --syncs_waiting_;
    done(failed);
  });
}
void disk::read(journal::file_id file, std::uint64_t offset, std::size_t size,
                journal::disk_read_done<std::string> done) {
  files_.read(file, offset, size, std::move(done));
}
void disk::size(journal::file_id file, journal::disk_read_done<std::uint64_t> done) {
  files_.size(file, std::move(done));
}
void disk::sync_directory(journal::disk_done done) {
  files_.sync_directory(std::move(done));
}
void disk::rename(const std::string& from, const std::string& to, journal::disk_done done) {
  files_.rename(from, to, std::move(done));
}
void disk::remove(const std::string& name, journal::disk_done done) {
  files_.remove(name, std::move(done));
}
void disk::list(journal::disk_read_done<std::vector<std::string>> done) {
  files_.list(std::move(done));
}

bool disk::turn() {
  if (files_.calls_under_way() == 0)
    return false;
  if (!is_starting_ && !is_dead_) {
    if (!std::exchange(is_timed_, true)) {
      auto takes = nanoseconds{0};
      if (syncs_waiting_ > 0) {
        const bool is_slow = !in_.is_calm && chance_.chance(in_.how.slow_syncs);
        takes = chance_.between(takes, is_slow ? in_.how.slow_sync_max : in_.how.sync_max);
      }
      free_at_ = in_.now() + takes;
      if (takes > nanoseconds{0})
        in_.after(takes, [] {}); // So that time stops there.
    }
    if (in_.now() < free_at_)
      return false;
    is_timed_ = false;
  }
  return files_.turn();
}

bool disk::wait() {
  return (is_starting_ || is_dead_) && files_.wait();
}

} // namespace troupe::sim
