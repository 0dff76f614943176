#include "tests/store/journal/simulated_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace troupe::journal {

namespace {

constexpr std::uint64_t names_queue = 0; ///< Of calls about names.

std::error_code from_errno(int number) {
  return {number, std::generic_category()};
}

} // namespace

// -- in the test's hand ---------------------------------------------------------------------------

void simulated_disk::lose_power() {
  calls_.clear();
  const auto is_lucky = [&] { return dice_() % 2 == 0; };
  for (const auto& [name, file] : safe_names_) {
    auto& bytes = file->safe;
    if (file->is_size_unsafe && is_lucky())
      bytes.resize(file->seen.size(), '\0');
    for (const auto& [sector, is_written] : file->unsafe_sectors) {
      const auto begin = sector * sector_bytes;
      if (!is_written || is_lucky() || begin >= std::min(bytes.size(), file->seen.size()))
        continue;
      const auto size = std::min(sector_bytes, std::min(bytes.size(), file->seen.size()) - begin);
      bytes.replace(begin, size, file->seen, begin, size);
    }
    file->seen = bytes;
    file->unsafe_sectors.clear();
    file->is_size_unsafe = false;
  }
  names_ = safe_names_;
  open_.clear();
}

void simulated_disk::end_process() {
  calls_.clear();
  open_.clear();
}

std::vector<std::string> simulated_disk::names() const {
  std::vector<std::string> out;
  for (const auto& [name, file] : names_)
    out.push_back(name);
  return out;
}

std::string& simulated_disk::content(const std::string& name) {
  return names_.at(name)->seen;
}

void simulated_disk::erase(const std::string& name) {
  names_.erase(name);
}

void simulated_disk::restore(const std::string& name, std::string content) {
  names_[name] = safe_names_[name] = std::make_shared<inode>();
  names_[name]->seen = names_[name]->safe = std::move(content);
}

// -- disk -----------------------------------------------------------------------------------------

void simulated_disk::open(const std::string& name, open_mode how, disk_read_done<file_id> done) {
  submit(names_queue, [this, name, how, done = std::move(done)] {
    const auto failed = refusal(disk_call::open, name);
    auto& file = names_[name];
    if (failed || (!file && how != open_mode::emptied)) {
      if (!file)
        names_.erase(name);
      done(failed ? failed : from_errno(ENOENT), file_id{});
      return;
    }
    if (!file) {
      file = std::make_shared<inode>();
      if (dice_() % 2 == 0) // As in `rename`.
        safe_names_[name] = file;
    }
    if (how == open_mode::emptied) {
      file->seen.clear();
      file->unsafe_sectors.clear();
      file->is_size_unsafe = true;
    }
    open_.emplace_back(name, file);
    done({}, static_cast<file_id>(open_.size() - 1));
  });
}

void simulated_disk::close(file_id file) {
  submit(queue_of(file), [this, file] { open_[static_cast<std::size_t>(file)].second = nullptr; });
}

void simulated_disk::allocate(file_id file, std::uint64_t size, disk_done done) {
  submit(queue_of(file), [this, file, size, done = std::move(done)] {
    auto& [name, opened] = open_[static_cast<std::size_t>(file)];
    auto failed = refusal(disk_call::allocate, name);
    const auto grown = size > opened->seen.size() ? size - opened->seen.size() : 0;
    if (!failed && used() + grown > capacity)
      failed = from_errno(ENOSPC);
    if (!failed) {
      opened->seen.resize(size, '\0');
      opened->is_size_unsafe = true;
    }
    done(failed);
  });
}

void simulated_disk::write(file_id file, std::uint64_t offset, std::string_view bytes,
                           disk_done done) {
  submit(queue_of(file), [this, file, offset, bytes, done = std::move(done)] {
    auto& [name, opened] = open_[static_cast<std::size_t>(file)];
    auto failed = refusal(disk_call::write, name);
    auto count = bytes.size();
    if (failed)
      count = count == 0 ? 0 : dice_() % count;
    const auto end = offset + count;
    if (!failed && end > opened->seen.size() && used() + end - opened->seen.size() > capacity) {
      failed = from_errno(ENOSPC);
      count = 0;
    }
    if (count > 0) {
      if (offset + count > opened->seen.size()) {
        opened->seen.resize(offset + count, '\0');
        opened->is_size_unsafe = true;
      }
      opened->seen.replace(offset, count, bytes, 0, count);
      mark(*opened, offset, count);
    }
    done(failed);
  });
}

void simulated_disk::sync(file_id file, disk_done done) {
  submit(queue_of(file), [this, file, done = std::move(done)] {
    auto& [name, opened] = open_[static_cast<std::size_t>(file)];
    const auto failed = refusal(disk_call::sync, name);
    auto& safe = opened->safe;
    if (failed) {
      for (auto& [sector, is_written] : opened->unsafe_sectors)
        is_written = false;
    } else {
      safe.resize(opened->seen.size(), '\0');
      std::erase_if(opened->unsafe_sectors, [&, &seen = opened->seen](const auto& each) {
        const auto begin = each.first * sector_bytes;
        if (each.second && begin < seen.size())
          safe.replace(begin, std::min(sector_bytes, seen.size() - begin), seen, begin,
                       sector_bytes);
        return each.second;
      });
      opened->is_size_unsafe = false;
    }
    done(failed);
  });
}

void simulated_disk::read(file_id file, std::uint64_t offset, std::size_t size,
                          disk_read_done<std::string> done) {
  submit(queue_of(file), [this, file, offset, size, done = std::move(done)] {
    auto& [name, opened] = open_[static_cast<std::size_t>(file)];
    const auto failed = refusal(disk_call::read, name);
    const auto& seen = opened->seen;
    done(failed, failed || offset >= seen.size() ? std::string{} : seen.substr(offset, size));
  });
}

void simulated_disk::size(file_id file, disk_read_done<std::uint64_t> done) {
  submit(queue_of(file), [this, file, done = std::move(done)] {
    auto& [name, opened] = open_[static_cast<std::size_t>(file)];
    done(refusal(disk_call::size, name), opened->seen.size());
  });
}

void simulated_disk::sync_directory(disk_done done) {
  submit(names_queue, [this, done = std::move(done)] {
    const auto failed = refusal(disk_call::sync_directory, {});
    if (!failed)
      safe_names_ = names_;
    done(failed);
  });
}

void simulated_disk::rename(const std::string& from, const std::string& to, disk_done done) {
  submit(names_queue, [this, from, to, done = std::move(done)] {
    const auto failed = refusal(disk_call::rename, from);
    if (!failed) {
      names_[to] = names_.at(from);
      names_.erase(from);
      // The operating system may make the new name safe at any time.
      if (dice_() % 2 == 0) {
        safe_names_[to] = names_.at(to);
        safe_names_.erase(from);
      }
    }
    done(failed);
  });
}

void simulated_disk::remove(const std::string& name, disk_done done) {
  submit(names_queue, [this, name, done = std::move(done)] {
    auto failed = refusal(disk_call::remove, name);
    if (!failed && names_.erase(name) == 0)
      failed = from_errno(ENOENT);
    if (!failed && dice_() % 2 == 0)
      safe_names_.erase(name);
    done(failed);
  });
}

void simulated_disk::list(disk_read_done<std::vector<std::string>> done) {
  submit(names_queue,
         [this, done = std::move(done)] { done(refusal(disk_call::list, {}), names()); });
}

bool simulated_disk::turn() {
  if (calls_.empty())
    return false;
  const auto drawn = calls_[dice_() % calls_.size()].queue;
  const auto first =
      std::ranges::find_if(calls_, [&](const auto& each) { return each.queue == drawn; });
  const auto carry_out = std::move(first->carry_out);
  calls_.erase(first);
  carry_out();
  return true;
}

bool simulated_disk::wait() {
  return !calls_.empty();
}

void simulated_disk::submit(std::uint64_t queue, std::function<void()> carry_out) {
  calls_.push_back({queue, std::move(carry_out)});
}

std::error_code simulated_disk::refusal(disk_call kind, const std::string& file) {
  log.push_back({kind, file});
  return refuse ? refuse(kind, file) : std::error_code{};
}

std::uint64_t simulated_disk::used() const {
  std::uint64_t out = 0;
  for (const auto& [name, file] : names_)
    out += file->seen.size();
  return out;
}

void simulated_disk::mark(inode& file, std::uint64_t offset, std::uint64_t size) const {
  for (auto sector = offset / sector_bytes; sector * sector_bytes < offset + size; ++sector)
    file.unsafe_sectors[sector] = true;
}

} // namespace troupe::journal
