#include "store/journal/blocking.hpp"
#include "store/journal/journal.hpp"
#include "store/journal/layout.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace troupe::journal {

namespace {

/// Of a segment without a header: nothing was written after its first block.
bool has_no_frames(std::string_view bytes) {
  return bytes.size() <= segment_header_bytes
         || bytes.find_first_not_of('\0', segment_header_bytes) == std::string_view::npos;
}

class inspector {
public:
  inspector(disk& files, position from) : files_(files), from_(from) {}

  result<inspection> run() {
    auto names = wait_for<std::vector<std::string>>(
        files_, [&](auto done) { files_.list(std::move(done)); });
    if (names.failed)
      return make_error(errc::store_unreadable,
                        "The journal's directory cannot be read: " + names.failed.message() + ".");
    names_ = {names.value.begin(), names.value.end()};
    if (const auto read = read_manifest_file(); !read)
      return read.error();
    if (out_.is_new || !out_.damage.empty())
      return std::move(out_);
    if (const auto read = read_segments(); !read)
      return read.error();
    return std::move(out_);
  }

private:
  result<void> read_manifest_file() {
    for (const auto& name : names_)
      if (segment_ordinal(name))
        present_.insert(*segment_ordinal(name));
    for (const auto* name : {new_manifest_name, new_segment_name})
      if (names_.contains(name))
        out_.leftovers.emplace_back(name);
    if (!names_.contains(manifest_name))
      return begin_anew();
    const auto text = read_file(files_, manifest_name);
    if (text.failed)
      return describe_unreadable(manifest_name, text.failed);
    const auto content = read_manifest(text.value);
    if (!content)
      report(manifest_name, 0, "it is damaged");
    else if (content->format != format_version)
      report(manifest_name, 0,
             "its format is version " + std::to_string(content->format)
                 + ", and this program reads version " + std::to_string(format_version));
    else
      manifest_ = *content;
    return {};
  }

  /// Without a manifest there is no journal, or one whose making did not end: then it has one
  /// segment without groups.
  result<void> begin_anew() {
    out_.is_new = true;
    for (const auto ordinal : present_) {
      const auto name = segment_name(ordinal);
      const auto bytes = read_file(files_, name);
      if (bytes.failed)
        return describe_unreadable(name, bytes.failed);
      const auto read = read_segment_header(bytes.value);
      const bool is_empty =
          read.header ? scan_segment(bytes.value, *read.header, 0, std::nullopt).groups.empty()
                      : has_no_frames(bytes.value);
      if (ordinal != 1 || !is_empty) {
        out_.is_new = false;
        report(manifest_name, 0, "it is missing, and there are segments");
        return {};
      }
      out_.leftovers.push_back(name);
    }
    return {};
  }

  result<void> read_segments() {
    out_.journal_id = manifest_.journal_id;
    out_.oldest = manifest_.oldest;
    out_.newest = manifest_.newest;
    for (const auto ordinal : present_)
      if (ordinal < manifest_.oldest || ordinal > manifest_.newest)
        out_.leftovers.push_back(segment_name(ordinal));
    if (names_.contains(safe_name)) {
      const auto copies = read_file(files_, safe_name);
      if (copies.failed)
        return describe_unreadable(safe_name, copies.failed);
      out_.safe = read_safe_copies(copies.value, manifest_.journal_id);
    }
    // The headers first: each segment ends where the next one begins.
    for (auto ordinal = manifest_.oldest; ordinal <= manifest_.newest; ++ordinal)
      if (const auto read = read_header(ordinal); !read)
        return read.error();
    if (out_.segments.empty())
      return {};
    out_.first = out_.segments.front().first;
    out_.safe = std::max(out_.safe, out_.first - 1);
    for (std::size_t i = 0; i < out_.segments.size(); ++i) {
      std::optional<position> until;
      if (i + 1 < out_.segments.size())
        until = out_.segments[i + 1].first;
      if (until && *until <= from_ + 1 && !is_behind_damage(out_.segments[i])) {
        out_.last = *until - 1;
        continue;
      }
      if (const auto read = read_groups(out_.segments[i], until); !read)
        return read.error();
    }
    return {};
  }

  result<void> read_header(std::uint64_t ordinal) {
    const auto name = segment_name(ordinal);
    if (!present_.contains(ordinal)) {
      report_segment(ordinal, "it is missing");
      return {};
    }
    const auto file = wait_for<file_id>(
        files_, [&](auto done) { files_.open(name, open_mode::reading, std::move(done)); });
    if (file.failed)
      return describe_unreadable(name, file.failed);
    const auto block = wait_for<std::string>(files_, [&](auto done) {
      files_.read(file.value, 0, segment_header_bytes, std::move(done));
    });
    files_.close(file.value);
    if (block.failed)
      return describe_unreadable(name, block.failed);
    const auto read = read_segment_header(block.value);
    if (!read.header)
      report_segment(ordinal, read.problem);
    else if (read.header->journal_id != manifest_.journal_id || read.header->ordinal != ordinal)
      report_segment(ordinal, "it is another segment, or one of another journal");
    else if (!out_.segments.empty() && read.header->first < out_.segments.back().first)
      report_segment(ordinal, "it begins before the segment before it");
    else
      out_.segments.push_back(*read.header);
    return {};
  }

  [[nodiscard]] bool is_behind_damage(const segment_header& header) const {
    return header.ordinal > damaged_segment_;
  }

  result<void> read_groups(const segment_header& header, std::optional<position> until) {
    const auto name = segment_name(header.ordinal);
    const auto bytes = read_file(files_, name);
    if (bytes.failed)
      return describe_unreadable(name, bytes.failed);
    const auto scan = scan_segment(bytes.value, header, until ? 0 : out_.safe, until);
    if (is_behind_damage(header))
      out_.groups_behind += scan.groups.size();
    // Where it ends is not known if the next one cannot be read; that one was reported.
    const bool is_cut_off = damaged_segment_ == header.ordinal + 1;
    if (scan.end != segment_end::clean && !is_cut_off) {
      const bool is_damaged = scan.end == segment_end::damaged;
      if (is_damaged)
        damaged_segment_ = std::min(damaged_segment_, header.ordinal);
      if (is_behind_damage(header) || is_damaged)
        out_.groups_behind += scan.behind.size();
      const auto behind = std::to_string(scan.behind.size()) + " readable "
                          + (scan.behind.size() == 1 ? "group follows" : "groups follow")
                          + " it in this file";
      (is_damaged ? out_.damage : out_.repaired)
          .push_back({name, scan.end_offset,
                      scan.problem + "; " + behind + ", and groups up to "
                          + (is_damaged ? std::to_string(scan.safe) + " were acknowledged"
                                        : std::to_string(scan.last) + " are whole")});
    }
    out_.last = scan.last;
    if (until)
      return {};
    out_.safe = std::min(scan.safe, scan.last);
    for (const auto& each : scan.groups)
      if (each.at > out_.safe)
        out_.behind_safe.push_back({each.at, bytes.value.substr(each.offset, each.length)});
    return {};
  }

  void report_segment(std::uint64_t ordinal, std::string problem) {
    damaged_segment_ = std::min(damaged_segment_, ordinal);
    report(segment_name(ordinal), 0, std::move(problem));
  }

  void report(const std::string& file, std::uint64_t offset, std::string problem) {
    out_.damage.push_back({file, offset, std::move(problem)});
  }

  disk& files_;
  const position from_; ///< Groups after it are read.
  std::set<std::string> names_;
  std::set<std::uint64_t> present_; ///< Ordinals of the segment files.
  manifest manifest_;
  /// The first one with damage.
  std::uint64_t damaged_segment_ = std::numeric_limits<std::uint64_t>::max();
  inspection out_;
};

} // namespace

result<inspection> inspect(disk& files, position from) {
  return inspector{files, from}.run();
}

std::string describe(const std::vector<finding>& findings) {
  std::string out;
  for (const auto& each : findings) {
    if (!out.empty())
      out += '\n';
    out += "\"" + each.file + "\", byte " + std::to_string(each.offset) + ": " + each.problem + ".";
  }
  return out;
}

std::string describe_damage(const inspection& found) {
  return describe(found.damage) + " Behind the damage "
         + (found.groups_behind == 1 ? "1 group" : std::to_string(found.groups_behind) + " groups")
         + " can be read.";
}

} // namespace troupe::journal
