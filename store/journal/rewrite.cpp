#include "store/journal/rewrite.hpp"

#include "store/journal/blocking.hpp"
#include "store/journal/layout.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace troupe::journal {

namespace {

/// Makes the calls one after another, and none after one that failed.
class writer {
public:
  explicit writer(disk& files) : files_(files) {}

  [[nodiscard]] std::error_code failed() const noexcept { return failed_; }

  std::vector<std::string> list() {
    return value<std::vector<std::string>>([&](auto done) { files_.list(std::move(done)); });
  }
  /// The whole file, synced.
  void write(const std::string& name, const std::string& bytes) {
    const auto file =
        value<file_id>([&](auto done) { files_.open(name, open_mode::emptied, std::move(done)); });
    if (failed_)
      return;
    call([&](disk_done done) { files_.allocate(file, bytes.size(), std::move(done)); });
    call([&](disk_done done) { files_.write(file, 0, bytes, std::move(done)); });
    call([&](disk_done done) { files_.sync(file, std::move(done)); });
    files_.close(file);
  }
  void rename(const std::string& from, const std::string& to) {
    call([&](disk_done done) { files_.rename(from, to, std::move(done)); });
  }
  void remove(const std::string& name) {
    call([&](disk_done done) { files_.remove(name, std::move(done)); });
  }
  void sync_names() {
    call([&](disk_done done) { files_.sync_directory(std::move(done)); });
  }

private:
  template<class T, class Begin>
  T value(Begin begin) {
    if (failed_)
      return {};
    auto ended = wait_for<T>(files_, begin);
    failed_ = ended.failed;
    return std::move(ended.value);
  }
  template<class Begin>
  void call(Begin begin) {
    value<bool>([&](auto done) {
      begin([done = std::move(done)](std::error_code failed) { done(failed, true); });
    });
  }

  disk& files_;
  std::error_code failed_;
};

} // namespace

result<void> rewrite_journal(disk& files, std::uint64_t journal_id, position first,
                             const std::vector<std::string>& groups) {
  writer to{files};
  const auto names = to.list();
  segment_header header{journal_id, 1, first, segment_header_bytes};
  for (const auto& name : names)
    header.ordinal = std::max(header.ordinal, segment_ordinal(name).value_or(0) + 1);
  for (const auto& group : groups)
    header.size += frame_bytes(group.size());
  std::string bytes;
  append_segment_header(bytes, header);
  auto at = first;
  for (const auto& group : groups)
    append_frame(bytes, header, {at++, first - 1}, group);
  // A part of it never has the name of a segment.
  to.write(new_segment_name, bytes);
  to.rename(new_segment_name, segment_name(header.ordinal));
  to.write(new_manifest_name, write_manifest({journal_id, header.ordinal, header.ordinal}));
  to.sync_names();
  to.rename(new_manifest_name, manifest_name);
  to.sync_names();
  // Until here it may name groups that are gone; the start is refused then.
  to.write(safe_name, write_safe_copy(journal_id, at - 1));
  for (const auto& name : names)
    if (segment_ordinal(name))
      to.remove(name);
  to.sync_names();
  if (to.failed())
    return make_error(errc::store_failed,
                      "The journal cannot be written again: " + to.failed().message()
                          + ". Check the disk, and try again.");
  return {};
}

} // namespace troupe::journal
