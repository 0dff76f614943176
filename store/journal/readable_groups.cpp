#include "store/journal/readable_groups.hpp"

#include "store/journal/blocking.hpp"
#include "store/journal/layout.hpp"

#include <algorithm>
#include <string>

namespace troupe::journal {

namespace {

/// The ordinal of the newest segment; 0 if the manifest cannot be read.
std::uint64_t newest_segment(disk& files) {
  const auto text = read_file(files, manifest_name);
  const auto content = text.failed ? std::nullopt : read_manifest(text.value);
  return content ? content->newest : 0;
}

/// The headers that can be read, in order.
result<std::vector<segment_header>> read_headers(disk& files,
                                                 std::optional<std::uint64_t> journal_id) {
  const auto names =
      wait_for<std::vector<std::string>>(files, [&](auto done) { files.list(std::move(done)); });
  if (names.failed)
    return make_error(errc::store_unreadable,
                      "The journal's directory cannot be read: " + names.failed.message() + ".");
  std::vector<std::uint64_t> ordinals;
  for (const auto& name : names.value)
    if (const auto ordinal = segment_ordinal(name))
      ordinals.push_back(*ordinal);
  std::ranges::sort(ordinals);
  std::vector<segment_header> out;
  for (const auto ordinal : ordinals) {
    const auto bytes = read_file(files, segment_name(ordinal));
    if (bytes.failed)
      return describe_unreadable(segment_name(ordinal), bytes.failed);
    const auto header = read_segment_header(bytes.value).header;
    if (!header || header->ordinal != ordinal
        || header->journal_id != journal_id.value_or(header->journal_id))
      continue;
    journal_id = header->journal_id;
    out.push_back(*header);
  }
  return out;
}

} // namespace

result<void> for_each_readable_group(disk& files, std::optional<std::uint64_t> journal_id,
                                     const std::function<void(const readable_group&)>& visit) {
  const auto headers = read_headers(files, journal_id);
  if (!headers)
    return headers.error();
  const auto newest = newest_segment(files);
  for (auto header = headers->begin(); header != headers->end(); ++header) {
    const auto next = std::next(header);
    std::optional<position> until;
    if (next != headers->end())
      until = next->first;
    const bool is_end_known =
        next != headers->end() ? next->ordinal == header->ordinal + 1 : header->ordinal == newest;
    const auto name = segment_name(header->ordinal);
    const auto bytes = read_file(files, name);
    if (bytes.failed)
      return describe_unreadable(name, bytes.failed);
    const auto scan = scan_segment(bytes.value, *header, 0, until);
    const auto show = [&](const group_place& each) {
      visit({each.at, name, each.offset,
             std::string_view{bytes.value}.substr(each.offset, each.length)});
    };
    std::ranges::for_each(scan.groups, show);
    if (is_end_known)
      std::ranges::for_each(scan.behind, show);
  }
  return {};
}

} // namespace troupe::journal
