// The journal in segment files. Frames are only ever written one after another. After a failed
// write the journal leaves the file, and writes the groups that were not acknowledged again to a
// new file. The end of the last segment is also written again at each start.
#include "store/disk_full.hpp"
#include "store/journal/blocking.hpp"
#include "store/journal/journal.hpp"
#include "store/journal/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <utility>

namespace troupe::journal {

namespace {

using steady_point = time_source::steady_point;

std::string describe_refusal(std::error_code failed, bool is_start = false) {
  const auto reason = "The journal cannot be written: " + failed.message() + ". ";
  if (is_disk_full(failed))
    return reason
           + (is_start ? "Make room on the disk and start again."
                       : "Make room on the disk; writing continues automatically.");
  return reason
         + (is_start ? "Check the disk and the data directory, and start again."
                     : "Check the disk and the data directory; writing is tried again.");
}

class segment_journal final : public journal {
public:
  segment_journal(disk& files, const time_source& time, const journal_options& options,
                  std::uint64_t journal_id)
      : files_(files), time_(time), options_(options), manifest_{journal_id, 1, 0, format_version},
        next_segment_bytes_(options.segment_bytes_min) {}

  /// Waits for the calls that are under way: they use the journal's memory.
  ~segment_journal() override {
    state_ = state::closed;
    waiting_.clear();
    while (files_.turn() || files_.wait()) {
    }
  }

  /// Continues after the groups that `found` calls safe.
  void go_on(inspection found) {
    manifest_ = {found.journal_id, found.oldest, found.newest, format_version};
    segments_.assign(found.segments.begin(), found.segments.end());
    last_ = found.last;
    written_ = safe_ = found.safe;
    for (auto& each : found.behind_safe)
      keep_until_safe({std::move(each.bytes), nullptr});
  }

  /// Continues after a follower that has more groups than the files: these are no longer needed.
  void go_on_behind(const inspection& found, position follower) {
    manifest_ = {found.journal_id, found.oldest, found.newest, format_version};
    last_ = written_ = safe_ = follower;
  }

  /// Everything that was there before is safe, and it takes groups.
  [[nodiscard]] bool is_open() const { return state_ == state::ready && waiting_.empty(); }

  void append(std::string group, appended_fn done) override {
    if (group.size() > append_bytes_max)
      std::abort();
    waiting_bytes_ += group.size();
    waiting_.push_back({std::move(group), std::move(done)});
  }

  bool turn() override {
    const bool has_ended = files_.turn();
    return begin() || has_ended;
  }

  [[nodiscard]] std::optional<steady_point> wakes_at() const override {
    if (state_ == state::refused)
      return retry_at_;
    if (state_ != state::ready)
      return std::nullopt;
    auto out = forget_again_at_;
    if (safe_ < written_)
      out = out ? std::min(*out, sync_at_) : sync_at_;
    return out;
  }

  [[nodiscard]] position next() const override { return last_ + waiting_.size() + 1; }

  [[nodiscard]] position last() const override { return last_; }

  [[nodiscard]] position first() const override {
    return segments_.empty() ? last_ + 1 : segments_.front().first;
  }

  [[nodiscard]] journal_status status() const override {
    journal_status out;
    out.problem = problem_;
    out.refused = problem_.empty() ? std::error_code{} : refused_;
    out.safe = safe_;
    out.waiting_groups = waiting_.size();
    out.waiting_bytes = waiting_bytes_;
    out.buffer_bytes = batch_.capacity();
    out.segments = segments_.size();
    for (const auto& each : segments_)
      out.segment_bytes += each.size;
    out.written_bytes = written_bytes_;
    out.syncs = syncs_;
    return out;
  }

  void read(const journal_cursor& from, std::size_t bytes_max,
            std::function<void(result<group_page>)> done) override;

  void forget(position before) override { forget_before_ = std::max(forget_before_, before); }

  [[nodiscard]] std::shared_ptr<const position> pin(position from) override {
    const auto out = std::make_shared<const position>(from);
    pins_.push_back(out);
    return out;
  }

  void close(std::function<void(bool)> done) override {
    closed_ = std::move(done);
    is_closing_ = true;
  }

private:
  enum class state : std::uint8_t {
    starting, ///< There is no segment to write to yet.
    rolling,  ///< A new segment is being made.
    ready,    ///< Nothing is under way.
    writing,  ///< A batch is on its way to the disk.
    syncing,  ///< Groups that were acknowledged are being synced; only without is_sync.
    removing, ///< Segments that are not needed are being removed.
    refused,  ///< By the disk, until `retry_at_`.
    closing,
    closed,
  };

  struct entry {
    std::string bytes;
    appended_fn done;
  };

  using step = std::function<void(disk_done)>;

  /// Begins the next thing that can be done. False if there is none.
  bool begin() {
    switch (state_) {
      case state::starting: roll(); return true;
      case state::ready: return begin_when_ready();
      case state::refused:
        if (is_closing_ && std::exchange(is_last_try_, true))
          return end();
        if (!is_closing_ && time_.steady() < retry_at_)
          return false;
        if (!remove_forgotten([this] { roll(); }))
          roll();
        return true;
      case state::rolling:
      case state::writing:
      case state::syncing:
      case state::removing:
      case state::closing:
      case state::closed: return false;
    }
    return false;
  }

  bool begin_when_ready() {
    const bool has_room_for_next = waiting_.empty() || has_room(waiting_.front(), tail_);
    const bool must_sync = !has_room_for_next || is_closing_ || time_.steady() >= sync_at_
                           || unsafe_bytes_ >= options_.batch_bytes_max;
    if (safe_ < written_ && must_sync)
      return sync_written();
    const auto go_on = [this] { state_ = state::ready; };
    if (!has_room_for_next) {
      if (!remove_forgotten(go_on))
        roll();
      return true;
    }
    if (!waiting_.empty()) {
      write_batch();
      return true;
    }
    if (is_closing_)
      return end();
    return remove_forgotten(go_on);
  }

  // -- writing ------------------------------------------------------------------------------------

  [[nodiscard]] bool has_room(const entry& each, std::uint64_t offset) const {
    return offset + frame_bytes(each.bytes.size()) <= segments_.back().size;
  }

  /// Writes the groups that wait and fit, with one sync.
  void write_batch() {
    batch_.clear();
    batch_groups_ = 0;
    for (const auto& each : waiting_) {
      if (!has_room(each, tail_ + batch_.size())
          || (batch_groups_ > 0 && batch_.size() + each.bytes.size() > options_.batch_bytes_max))
        break;
      ++batch_groups_;
      // Else a long one takes twice the room, and the zeros behind it again.
      batch_.reserve(batch_.size() + frame_bytes(each.bytes.size()) + options_.ahead_bytes);
      append_frame(batch_, segments_.back(), {written_ + batch_groups_, safe_}, each.bytes);
    }
    batch_end_ = tail_ + batch_.size();
    if (options_.is_sync && batch_end_ > ahead_) {
      ahead_ = std::min<std::uint64_t>(batch_end_ + options_.ahead_bytes, segments_.back().size);
      batch_.resize(ahead_ - tail_);
    }
    state_ = state::writing;
    failed_ = {};
    written_bytes_ += batch_.size();
    files_.write(file_, tail_, batch_, [this](std::error_code failed) {
      failed_ = failed;
      if (!options_.is_sync)
        end_batch();
    });
    if (options_.is_sync) {
      ++syncs_;
      files_.sync(file_, [this](std::error_code failed) {
        if (!failed_)
          failed_ = failed;
        end_batch();
      });
    }
  }

  /// The batch is acknowledged, or kept.
  void end_batch() {
    if (state_ == state::closed)
      return;
    if (failed_) {
      refuse(failed_);
      return;
    }
    tail_ = batch_end_;
    if (batch_.capacity() > 2 * options_.ahead_bytes) // It is seldom so long.
      std::string().swap(batch_);
    auto at = written_;
    written_ += batch_groups_;
    last_ = std::max(last_, written_);
    std::vector<appended_fn> acknowledged;
    for (std::size_t i = 0; i < batch_groups_; ++i) {
      auto& each = waiting_.front();
      waiting_bytes_ -= each.bytes.size();
      acknowledged.push_back(std::exchange(each.done, nullptr));
      if (!options_.is_sync)
        keep_until_safe(std::move(each));
      waiting_.pop_front();
    }
    if (options_.is_sync)
      note_safe(written_);
    state_ = state::ready;
    begin(); // The disk goes on while the completions run.
    for (const auto& done : acknowledged) {
      ++at;
      if (done)
        done(at);
    }
  }

  void keep_until_safe(entry each) {
    if (unsafe_.empty())
      sync_at_ = time_.steady() + options_.sync_interval;
    unsafe_bytes_ += each.bytes.size();
    unsafe_.push_back(std::move(each));
  }

  /// Without is_sync: the groups that were written since the last time become safe.
  bool sync_written() {
    state_ = state::syncing;
    ++syncs_;
    files_.sync(file_, [this](std::error_code failed) {
      if (failed) {
        refuse(failed);
        return;
      }
      note_safe(written_);
      unsafe_.clear();
      unsafe_bytes_ = 0;
      state_ = state::ready;
    });
    return true;
  }

  void note_safe(position through) {
    safe_ = through;
    if (!is_safe_file_open_ || is_safe_copy_busy_)
      return;
    is_safe_copy_busy_ = true;
    safe_copy_ = write_safe_copy(manifest_.journal_id, safe_);
    is_second_copy_ = !is_second_copy_;
    files_.write(safe_file_, is_second_copy_ ? safe_copy_bytes : 0, safe_copy_,
                 [this, through](std::error_code) {
                   // If it failed, the next frame says the same.
                   is_safe_copy_busy_ = false;
                   if (safe_ != through)
                     note_safe(safe_);
                 });
  }

  /// Groups that are not safe are written again, to another file.
  void refuse(std::error_code failed) {
    written_ = safe_;
    refused_ = failed;
    problem_ = describe_refusal(failed);
    retry_at_ = time_.steady() + options_.retry_interval;
    state_ = state::refused;
  }

  // -- segments -----------------------------------------------------------------------------------

  /// Makes the next segment. Its header, and the groups that were acknowledged and not safe, are
  /// synced before the manifest names it. With that, the earlier segment has ended.
  void roll() {
    state_ = state::rolling;
    try_segment(std::max(next_segment_bytes_, needed_bytes()));
  }

  /// Of a segment that holds the groups in `unsafe_` and the next group.
  [[nodiscard]] std::size_t needed_bytes() const {
    auto out = segment_header_bytes;
    for (const auto& each : unsafe_)
      out += frame_bytes(each.bytes.size());
    return out + (waiting_.empty() ? 0 : frame_bytes(waiting_.front().bytes.size()));
  }

  void try_segment(std::size_t bytes) {
    const segment_header header{manifest_.journal_id, manifest_.newest + 1, written_ + 1, bytes};
    first_bytes_.clear();
    append_segment_header(first_bytes_, header);
    auto at = written_;
    for (const auto& each : unsafe_)
      append_frame(first_bytes_, header, {++at, safe_}, each.bytes);
    auto next = manifest_;
    next.newest = header.ordinal;
    if (segments_.empty())
      next.oldest = header.ordinal;
    const auto name = segment_name(header.ordinal);
    run({[this, name](disk_done done) {
           files_.open(name, open_mode::emptied, [this, done](std::error_code failed, file_id id) {
             if (!failed)
               rolled_file_ = id;
             done(failed);
           });
         },
         [this, bytes](disk_done done) { files_.allocate(*rolled_file_, bytes, std::move(done)); },
         [this](disk_done done) {
           written_bytes_ += first_bytes_.size();
           files_.write(*rolled_file_, 0, first_bytes_, std::move(done));
         },
         [this](disk_done done) {
           ++syncs_;
           files_.sync(*rolled_file_, std::move(done));
         },
         [this](disk_done done) { files_.sync_directory(std::move(done)); },
         [this](disk_done done) { open_safe_file(std::move(done)); }},
        [this, header, next, bytes](std::error_code failed) {
          if (failed)
            give_up_segment(failed, bytes);
          else
            name_segment(header, next);
        });
  }

  void name_segment(const segment_header& header, const manifest& next) {
    replace_manifest(next, [this, header, next](std::error_code failed) {
      if (failed && !is_manifest_renamed_)
        give_up_segment(failed, header.size);
      else
        use_segment(header, next, failed);
    });
  }

  /// `failed`: it is not known whether the manifest names the segment. Then the segment stays, and
  /// another one with the same groups follows.
  void use_segment(const segment_header& header, const manifest& next, std::error_code failed) {
    if (is_file_open_)
      files_.close(file_);
    file_ = *std::exchange(rolled_file_, std::nullopt);
    is_file_open_ = true;
    manifest_ = next;
    segments_.push_back(header);
    if (failed) {
      refuse(failed);
      return;
    }
    tail_ = ahead_ = first_bytes_.size();
    written_ += unsafe_.size();
    unsafe_.clear();
    unsafe_bytes_ = 0;
    note_safe(written_);
    next_segment_bytes_ = std::min<std::size_t>(header.size * 2, options_.segment_bytes_max);
    problem_.clear();
    state_ = state::ready;
  }

  /// A disk that is nearly full may have room for a smaller one.
  void give_up_segment(std::error_code failed, std::size_t bytes) {
    if (rolled_file_)
      files_.close(*std::exchange(rolled_file_, std::nullopt));
    const auto least = std::max(needed_bytes(), options_.segment_bytes_min);
    files_.remove(segment_name(manifest_.newest + 1),
                  [this, failed, bytes, least](std::error_code) {
                    if (is_disk_full(failed) && bytes > least) {
                      try_segment(std::max(bytes / 2, least));
                      return;
                    }
                    refuse(failed);
                  });
  }

  void open_safe_file(disk_done done) {
    if (is_safe_file_open_) {
      done({});
      return;
    }
    const auto opened = [this, done](std::error_code failed, file_id id) {
      if (!failed) {
        safe_file_ = id;
        is_safe_file_open_ = true;
      }
      done(failed);
    };
    files_.open(safe_name, open_mode::existing, [this, opened](std::error_code failed, file_id id) {
      if (failed == std::errc::no_such_file_or_directory)
        files_.open(safe_name, open_mode::emptied, opened);
      else
        opened(failed, id);
    });
  }

  void replace_manifest(const manifest& next, disk_done done) {
    manifest_text_ = write_manifest(next);
    is_manifest_renamed_ = false;
    written_bytes_ += manifest_text_.size();
    run({[this](disk_done each) {
           files_.open(new_manifest_name, open_mode::emptied,
                       [this, each](std::error_code failed, file_id id) {
                         manifest_file_ = id;
                         each(failed);
                       });
         },
         [this](disk_done each) {
           files_.write(manifest_file_, 0, manifest_text_,
                        [this, each = std::move(each)](std::error_code failed) {
                          if (failed)
                            files_.close(manifest_file_);
                          each(failed);
                        });
         },
         [this](disk_done each) {
           ++syncs_;
           files_.sync(manifest_file_, [this, each = std::move(each)](std::error_code failed) {
             files_.close(manifest_file_);
             each(failed);
           });
         },
         [this](disk_done each) {
           is_manifest_renamed_ = true;
           files_.rename(new_manifest_name, manifest_name, std::move(each));
         },
         [this](disk_done each) { files_.sync_directory(std::move(each)); }},
        std::move(done));
  }

  // -- forgetting ---------------------------------------------------------------------------------

  [[nodiscard]] position kept_from() {
    std::erase_if(pins_, [](const auto& each) { return each.expired(); });
    auto out = forget_before_;
    for (const auto& each : pins_)
      if (const auto held = each.lock())
        out = std::min(out, *held);
    return out;
  }

  /// Makes room, then calls `then`, also if the disk refuses: that is tried again later. False if
  /// there is nothing to remove, or it is too early.
  bool remove_forgotten(std::function<void()> then) {
    if (forget_before_ == 0 || (forget_again_at_ && time_.steady() < *forget_again_at_))
      return false;
    forget_again_at_.reset();
    const auto from = kept_from();
    std::size_t count = 0;
    while (count + 1 < segments_.size() && segments_[count + 1].first <= from)
      ++count;
    if (count == 0)
      return false;
    state_ = state::removing;
    auto next = manifest_;
    next.oldest = segments_[count].ordinal;
    replace_manifest(next, [this, next, count, then = std::move(then)](std::error_code failed) {
      if (failed) { // Groups may still fit.
        forget_again_at_ = time_.steady() + options_.retry_interval;
        then();
        return;
      }
      std::vector<step> removals;
      for (auto ordinal = manifest_.oldest; ordinal < next.oldest; ++ordinal)
        removals.push_back([this, ordinal](const disk_done& done) {
          // One that stays is a leftover, which the next start removes.
          files_.remove(segment_name(ordinal), [done](std::error_code) { done({}); });
        });
      manifest_ = next;
      segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(count));
      run(std::move(removals), [then](std::error_code) { then(); });
    });
    return true;
  }

  // -- the end ------------------------------------------------------------------------------------

  bool end() {
    state_ = state::closing;
    std::vector<step> steps;
    if (is_safe_file_open_)
      steps.emplace_back([this](const disk_done& done) {
        files_.sync(safe_file_, [done](std::error_code) { done({}); });
      });
    run(std::move(steps), [this](std::error_code) {
      if (is_file_open_)
        files_.close(file_);
      if (is_safe_file_open_)
        files_.close(safe_file_);
      state_ = state::closed;
      if (closed_)
        std::exchange(closed_, nullptr)(waiting_.empty() && unsafe_.empty());
    });
    return true;
  }

  /// Runs the steps one after the other, up to the first that fails.
  void run(std::vector<step> steps, disk_done done) {
    run_from(std::make_shared<const std::vector<step>>(std::move(steps)), 0, std::move(done));
  }

  void run_from(const std::shared_ptr<const std::vector<step>>& steps, std::size_t next,
                disk_done done) {
    if (next == steps->size()) {
      done({});
      return;
    }
    (*steps)[next]([this, steps, next, done = std::move(done)](std::error_code failed) {
      if (failed)
        done(failed);
      else
        run_from(steps, next + 1, done);
    });
  }

  disk& files_;
  const time_source& time_;
  const journal_options options_;
  manifest manifest_;
  std::deque<segment_header> segments_;
  std::deque<entry> waiting_;
  std::size_t waiting_bytes_ = 0;
  position last_ = 0;    ///< Acknowledged.
  position written_ = 0; ///< In the newest segment; below `last_` while groups are written again.
  position safe_ = 0;    ///< Safe on the disk.
  std::deque<entry> unsafe_; ///< Acknowledged and not safe; only without is_sync.
  std::size_t unsafe_bytes_ = 0;

  state state_ = state::starting;
  bool is_closing_ = false;
  bool is_last_try_ = false; ///< It closes, and tries once more although the disk refuses.
  std::string problem_;
  std::error_code refused_; ///< Why, while there is a problem.
  steady_point retry_at_{};
  steady_point sync_at_{};

  // The newest segment.
  file_id file_{};
  bool is_file_open_ = false;
  std::uint64_t tail_ = 0;  ///< The next frame begins here.
  std::uint64_t ahead_ = 0; ///< The file has been written up to here.
  std::size_t next_segment_bytes_;
  std::optional<file_id> rolled_file_; ///< While it is being made.
  std::string first_bytes_;            ///< Its header, and groups that are written again.
  file_id manifest_file_{};
  std::string manifest_text_;
  bool is_manifest_renamed_ = false; ///< Perhaps: the rename was begun.

  // The batch under way: the first groups of `waiting_`.
  std::string batch_;
  std::size_t batch_groups_ = 0;
  std::uint64_t batch_end_ = 0; ///< The end of the frames in `batch_`; zeros may follow them.
  std::error_code failed_;

  file_id safe_file_{};
  bool is_safe_file_open_ = false;
  bool is_safe_copy_busy_ = false;
  bool is_second_copy_ = false;
  std::string safe_copy_;

  position forget_before_ = 0;
  std::optional<steady_point> forget_again_at_; ///< The disk has refused it.
  std::vector<std::weak_ptr<const position>> pins_;
  std::uint64_t written_bytes_ = 0;
  std::uint64_t syncs_ = 0;
  std::function<void(bool)> closed_;
};

/// One page for a reader: the segment is opened, read in one piece, or in two if the first group is
/// larger than a page, and closed.
class page_read : public std::enable_shared_from_this<page_read> {
public:
  page_read(disk& files, const segment_header& segment, const journal_cursor& from,
            position through, std::function<void(result<group_page>)> done)
      : files_(files), segment_(segment), through_(through), done_(std::move(done)) {
    page_.cursor = from;
  }

  void begin(std::size_t bytes) {
    files_.open(segment_name(segment_.ordinal), open_mode::existing,
                [self = shared_from_this(), bytes](std::error_code failed, file_id file) {
                  if (failed) {
                    self->fail(failed.message());
                    return;
                  }
                  self->file_ = file;
                  self->read(bytes);
                });
  }

private:
  void read(std::size_t bytes) {
    files_.read(file_, page_.cursor.offset, bytes,
                [self = shared_from_this(), bytes](std::error_code failed, std::string content) {
                  if (failed)
                    self->end(failed.message());
                  else
                    self->take(content, bytes);
                });
  }

  void take(std::string_view bytes, std::size_t asked) {
    auto& cursor = page_.cursor;
    const auto begin = cursor.offset;
    while (cursor.next <= through_) {
      const auto size = frame_size(bytes, segment_);
      if (!size || *size > bytes.size()) {
        if (!page_.groups.empty())
          break;
        if (cursor.offset != begin) // The groups before the cursor fill the page.
          read(asked);
        else if (size && asked < *size)
          read(*size);
        else
          end("group " + std::to_string(cursor.next) + " is damaged");
        return;
      }
      const auto frame = read_frame(bytes, segment_);
      if (!frame) {
        end("group " + std::to_string(cursor.next) + " is damaged");
        return;
      }
      if (frame->header.at == cursor.next) {
        page_.groups.push_back({cursor.next, std::string{frame->payload}});
        ++cursor.next;
      }
      bytes.remove_prefix(*size);
      cursor.offset += *size;
    }
    end({});
  }

  void end(const std::string& problem) {
    files_.close(file_);
    if (problem.empty())
      done_(std::move(page_));
    else
      fail(problem);
  }

  void fail(const std::string& problem) {
    done_(make_error(errc::store_unreadable, "The journal file \"" + segment_name(segment_.ordinal)
                                                 + "\" cannot be read at byte "
                                                 + std::to_string(page_.cursor.offset) + ": "
                                                 + problem + "."));
  }

  disk& files_;
  const segment_header segment_;
  const position through_; ///< The last group to read.
  const std::function<void(result<group_page>)> done_;
  file_id file_{};
  group_page page_;
};

void segment_journal::read(const journal_cursor& from, std::size_t bytes_max,
                           std::function<void(result<group_page>)> done) {
  if (from.next > written_) {
    done(group_page{{}, from});
    return;
  }
  if (from.next < first()) {
    done(make_error(errc::invalid_params, "The journal begins with group " + std::to_string(first())
                                              + "; the groups before it were forgotten."));
    return;
  }
  const auto behind =
      std::ranges::find_if(segments_, [&](const auto& each) { return each.first > from.next; });
  const auto& segment = *std::prev(behind);
  auto cursor = from;
  if (cursor.ordinal != segment.ordinal)
    cursor = {from.next, segment.ordinal, segment_header_bytes};
  const auto through = behind == segments_.end() ? written_ : behind->first - 1;
  std::make_shared<page_read>(files_, segment, cursor, through, std::move(done))
      ->begin(std::max(bytes_max, frame_header_bytes));
}

error refused_start(std::error_code failed) {
  return make_error(errc::store_failed, describe_refusal(failed, true));
}

} // namespace

std::string describe_misfit(const inspection& found, const follower_mark& follower) {
  const auto stand = "The tables are at group " + std::to_string(follower.at);
  if (found.is_new)
    return "The journal is missing. " + stand + " of it.";
  if (found.journal_id != follower.journal_id)
    return "The journal is not the one that the tables were made from.";
  if (found.first > follower.at + 1)
    return stand + ", and the journal begins with group " + std::to_string(found.first)
           + ": the groups between are missing.";
  if (found.last < follower.safe)
    return stand + ", and the journal ends with group " + std::to_string(found.last)
           + ": its end is missing.";
  return {};
}

std::optional<error> refusal_of(const inspection& found,
                                const std::optional<follower_mark>& follower,
                                const std::string& advice) {
  if (!found.damage.empty())
    return make_error(errc::store_failed, "The journal is damaged, and nothing was changed. "
                                              + describe_damage(found) + advice);
  const auto why = follower ? describe_misfit(found, *follower) : std::string{};
  if (why.empty())
    return std::nullopt;
  const bool is_other = !found.is_new && found.journal_id != follower->journal_id;
  return make_error(errc::store_failed,
                    why + " Nothing was changed; restore the data directory from a backup."
                        + (is_other ? "" : advice)); // No repair helps with another journal.
}

result<opened_journal> open_journal(disk& files, const time_source& time, std::uint64_t journal_id,
                                    const journal_options& options,
                                    const std::optional<follower_mark>& follower,
                                    std::optional<inspection> inspected) {
  auto found = inspected ? result<inspection>{std::move(*inspected)}
                         : inspect(files, follower ? follower->at : 0);
  if (!found)
    return found.error();
  if (auto refused = refusal_of(*found, follower, options.damage_advice))
    return *refused;
  // The process before may have ended before it synced the name of the manifest that was read. If
  // files it does not name went first, the one before would miss them after a power failure.
  if (!found->leftovers.empty()) {
    const auto synced = wait_for<bool>(files, [&](auto done) {
      files.sync_directory([done](std::error_code failed) { done(failed, true); });
    });
    if (synced.failed)
      return refused_start(synced.failed);
  }
  for (const auto& name : found->leftovers) {
    const auto removed = wait_for<bool>(files, [&](auto done) {
      files.remove(name, [done](std::error_code failed) { done(failed, true); });
    });
    if (removed.failed)
      return refused_start(removed.failed);
  }
  opened_journal out{nullptr, found->is_new ? journal_id : found->journal_id, found->repaired};
  auto made = std::make_unique<segment_journal>(files, time, options, journal_id);
  if (follower && follower->at > found->last)
    made->go_on_behind(*found, follower->at);
  else if (!found->is_new)
    made->go_on(std::move(*found));
  while (!made->is_open()) {
    if (const auto refused = made->status().refused)
      return refused_start(refused);
    if (!made->turn())
      files.wait();
  }
  out.opened = std::move(made);
  return out;
}

} // namespace troupe::journal
