#include "sim/disk.hpp"

#include "store/journal/frame.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace troupe::sim {

namespace {

/// Calls `visit` with place, size, header of the segment, and each whole frame of the segment. It
/// may change the bytes of that frame.
template<class Visit>
void for_each_frame(const std::string& content, Visit visit) {
  const auto header = journal::read_segment_header(content).header;
  if (!header)
    return;
  for (auto at = journal::segment_header_bytes; at < content.size();) {
    const auto frame = journal::read_frame(std::string_view(content).substr(at), *header);
    if (!frame)
      return;
    const auto size = journal::frame_bytes(frame->payload.size());
    visit(at, size, *header, *frame);
    at += size;
  }
}

} // namespace

disk::disk(world& in)
    : in_(in), chance_(in.stream("disk")), chance_at_start_(in.stream("disk at starts")),
      chance_of_tables_(in.stream("tables")), files_(in.stream("sectors").next()) {
  if (in.how.has_real_tables)
    table_files_.emplace();
  files_.sector_bytes = in.how.sector_bytes;
  files_.refuse = [this](journal::disk_call kind, const std::string&) { return refuse(kind); };
  tables_.refuses_read = [this] { return refuses_table_read(); };
}

disk::~disk() = default;

const std::string& disk::directory() {
  static const testing::temporary_directory shared;
  // Messages to clients name it, so that its length must not depend on where temporary files are.
  static const std::string path = [] {
    constexpr std::size_t folder_bytes = 120;
    auto out = shared.path().string();
    out.resize(std::max(out.size(), folder_bytes), '/');
    return out + "/data";
  }();
  return path;
}

void disk::die() {
  note_death();
  is_dead_ = true;
  tables_.freeze();
  if (table_files_)
    table_files_->freeze();
}

void disk::note_death() const {
  if (in_.is_calm)
    return;
  if (is_syncing())
    in_.story.reached("the process dies while a sync is under way");
  else if (files_.calls_under_way() > 0)
    in_.story.reached("the process dies while the disk has calls");
  if (is_beginning_)
    in_.story.reached("the process dies between two segments");
}

void disk::after_death(bool is_power_lost) {
  if (is_power_lost) {
    files_.lose_power();
    if (table_files_)
      table_files_->lose_power(chance_);
  } else {
    files_.end_process();
  }
  plant_after_death();
  files_.log.clear();
  if (table_files_)
    table_files_->thaw();
  is_dead_ = false;
  calls_until_death_.reset();
  fails_at_start_ = has_failed_at_start_ = is_closing_ = false;
  is_timed_ = false;
  syncs_waiting_ = 0;
  is_beginning_ = false;
}

std::vector<std::string> disk::segments() {
  std::vector<std::string> out;
  for (const auto& name : files_.names())
    if (name.starts_with("segment-")
        && files_.content(name).find_last_not_of('\0') + 1 > journal::segment_header_bytes)
      out.push_back(name);
  return out;
}

std::string disk::newest_segment() {
  const auto all = segments();
  return all.empty() ? std::string{} : all.back();
}

void disk::fill(std::uint64_t bytes_left) {
  was_full_ = false;
  files_.capacity = files_.used() + bytes_left;
}

void disk::empty() {
  files_.capacity = std::numeric_limits<std::uint64_t>::max();
  if (std::exchange(was_full_, false))
    in_.story.reached("the disk has room again");
}

void disk::note_full(std::error_code how) {
  if (how.value() != ENOSPC || is_dead_)
    return;
  was_full_ = true;
  in_.story.reached("the disk is full");
}

bool disk::damage(dice& chance) {
  const auto all = segments();
  if (all.empty())
    return false;
  const auto& name = chance.chance(0.5) ? all.back() : all[chance.below(all.size())];
  const auto end = files_.content(name).find_last_not_of('\0') + 1;
  change_bit(name, chance.between(journal::segment_header_bytes, end - 1), chance);
  return true;
}

bool disk::damage_safe_group(dice& chance) {
  struct place {
    std::string file;
    std::size_t begin = 0;
    std::size_t end = 0;
    journal::position at = 0;
  };
  std::vector<place> groups;
  journal::position safe = 0;
  for (const auto& name : segments())
    for_each_frame(files_.content(name),
                   [&](std::size_t begin, std::size_t size, const journal::segment_header&,
                       const journal::frame_view& frame) {
                     groups.push_back({name, begin, begin + size, frame.header.at});
                     safe = std::max(safe, frame.header.safe);
                   });
  std::erase_if(groups, [&](const place& each) { return each.at > safe; });
  if (groups.empty())
    return false;
  const auto& one = groups[chance.below(groups.size())];
  change_bit(one.file, chance.between(one.begin, one.end - 1), chance);
  return true;
}

void disk::change_bit(const std::string& name, std::size_t at, dice& chance) {
  damaged_file_ = name;
  damaged_at_ = at;
  auto& byte = files_.content(name)[at];
  damaged_byte_ = byte;
  byte = static_cast<char>(byte ^ static_cast<char>(1U << chance.below(8)));
}

void disk::mend() {
  const auto names = files_.names();
  if (std::ranges::find(names, damaged_file_) == names.end())
    return; // Its name was lost with the power.
  if (auto& content = files_.content(damaged_file_); damaged_at_ < content.size())
    content[damaged_at_] = damaged_byte_;
}

// -- planted bugs ---------------------------------------------------------------------------------

void disk::plant_after_death() {
  switch (in_.how.bug) {
    case mutant::lost_tail: return cut_tail();
    case mutant::forged_bytes: return forge();
    case mutant::lost_segment:
      if (const auto name = newest_segment(); !name.empty())
        files_.erase(name);
      return;
    default: return;
  }
}

/// The end of the newest segment is gone, synced or not.
void disk::cut_tail() {
  constexpr std::size_t tail_bytes = 300;
  const auto newest = newest_segment();
  if (newest.empty())
    return;
  auto& content = files_.content(newest);
  const auto end = content.find_last_not_of('\0') + 1;
  const auto begin = end - std::min(end, tail_bytes);
  content.replace(begin, std::string::npos, content.size() - begin, '\0');
}

/// Another byte, and a checksum that fits it: as if nobody looked at checksums.
void disk::forge() {
  const auto newest = newest_segment();
  if (newest.empty())
    return;
  auto& content = files_.content(newest);
  for_each_frame(content, [&](std::size_t begin, std::size_t, const journal::segment_header& header,
                              const journal::frame_view& frame) {
    std::string payload(frame.payload);
    const auto text = payload.rfind("/1;");
    if (text == std::string::npos)
      return;
    payload[text + 1] = '0'; // Chunks count from 1.
    std::string bytes;
    journal::append_frame(bytes, header, frame.header, payload);
    content.replace(begin, bytes.size(), bytes);
  });
}

// -- what fails -----------------------------------------------------------------------------------

std::error_code disk::refuse(journal::disk_call kind) {
  if (calls_until_death_ && (*calls_until_death_)-- == 0) {
    in_.story.reached(is_closing_ ? "the process dies in its last flush"
                                  : "the process dies in its recovery");
    calls_until_death_.reset();
    die();
  }
  if (is_dead_)
    return {EIO, std::generic_category()};
  if (fails_at_start_ && chance_at_start_.chance(in_.how.start_errors)) {
    has_failed_at_start_ = true;
    if (kind == journal::disk_call::read)
      in_.story.reached("a read of the journal fails");
    return {EIO, std::generic_category()};
  }
  if (is_waiting_ || in_.is_calm || !chance_.chance(in_.how.disk_errors))
    return {};
  using journal::disk_call;
  const bool takes_room =
      kind == disk_call::write || kind == disk_call::allocate || kind == disk_call::open;
  const std::error_code out{takes_room && chance_.chance(0.5) ? ENOSPC : EIO,
                            std::generic_category()};
  note(kind, out);
  return out;
}

bool disk::refuses_table_read() {
  if (is_waiting_ || is_dead_ || in_.is_calm || !chance_of_tables_.chance(in_.how.table_errors))
    return false;
  in_.story.reached("a read of the tables fails");
  return true;
}

void disk::note(journal::disk_call kind, std::error_code how) {
  using journal::disk_call;
  switch (kind) {
    case disk_call::sync: in_.story.reached("a sync fails"); break;
    case disk_call::write: in_.story.reached("a write fails"); break;
    case disk_call::sync_directory: in_.story.reached("a sync of names fails"); break;
    default: in_.story.reached("a call about a file or its name fails"); break;
  }
  note_full(how);
}

// -- journal::disk --------------------------------------------------------------------------------

void disk::open(const std::string& name, journal::open_mode how,
                journal::disk_read_done<journal::file_id> done) {
  if (how == journal::open_mode::emptied && name.starts_with("segment-")) {
    is_beginning_ = true;
    if (++segments_begun_ > 1)
      in_.story.reached("the journal begins another segment");
  }
  files_.open(name, how, std::move(done));
}
void disk::close(journal::file_id file) {
  files_.close(file);
}
void disk::allocate(journal::file_id file, std::uint64_t size, journal::disk_done done) {
  files_.allocate(file, size, [this, done = std::move(done)](std::error_code failed) {
    note_full(failed);
    done(failed);
  });
}
void disk::write(journal::file_id file, std::uint64_t offset, std::string_view bytes,
                 journal::disk_done done) {
  if (is_dead_)
    return files_.size(file, [done = std::move(done)](std::error_code, std::uint64_t) {
      done({EIO, std::generic_category()});
    });
  if (in_.how.bug == mutant::torn_write && bytes.size() > 1 && !is_waiting_ && chance_.chance(0.05))
    bytes.remove_suffix(bytes.size() / 2);
  if (in_.how.bug == mutant::misplaced_write && offset > journal::segment_header_bytes
      && chance_.chance(0.05))
    offset += journal::frame_alignment;
  files_.write(file, offset, bytes, [this, done = std::move(done)](std::error_code failed) {
    note_full(failed);
    done(failed);
  });
}
void disk::sync(journal::file_id file, journal::disk_done done) {
  if (in_.how.bug == mutant::sync_before_disk)
    return files_.size(
        file, [done = std::move(done)](std::error_code failed, std::uint64_t) { done(failed); });
  ++syncs_waiting_;
  files_.sync(file, [this, done = std::move(done)](std::error_code failed) {
    --syncs_waiting_;
    done(in_.how.bug == mutant::deaf_to_errors ? std::error_code{} : failed);
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
  is_beginning_ = false;
  if (in_.how.bug == mutant::names_not_synced)
    return files_.list([done = std::move(done)](std::error_code failed,
                                                const std::vector<std::string>&) { done(failed); });
  files_.sync_directory(std::move(done));
}
void disk::rename(const std::string& from, const std::string& to, journal::disk_done done) {
  files_.rename(from, to, std::move(done));
}
void disk::remove(const std::string& name, journal::disk_done done) {
  if (name.starts_with("segment-"))
    in_.story.reached("an old segment is removed");
  files_.remove(name, std::move(done));
}
void disk::list(journal::disk_read_done<std::vector<std::string>> done) {
  files_.list(std::move(done));
}

bool disk::turn() {
  if (files_.calls_under_way() == 0)
    return false;
  if (!is_waiting_ && !is_dead_) {
    if (!std::exchange(is_timed_, true)) {
      auto takes = nanoseconds{0};
      const bool is_slow = !in_.is_calm && chance_.chance(in_.how.slow_syncs);
      if (syncs_waiting_ > 0 || is_slow)
        takes = chance_.between(takes, is_slow ? in_.how.slow_sync_max : in_.how.sync_max);
      if (syncs_waiting_ > 0 && takes > in_.how.patience)
        in_.story.reached("a sync takes longer than a client waits");
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
  return (is_waiting_ || is_dead_) && files_.wait();
}

} // namespace troupe::sim
