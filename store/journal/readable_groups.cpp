#include "store/journal/readable_groups.hpp"

#include "store/journal/blocking.hpp"
#include "store/journal/layout.hpp"

#include <algorithm>
#include <string>

namespace troupe::journal {

namespace {

/// Nothing if it cannot be read, or is another journal's.
std::optional<manifest> find_manifest(disk& files, std::optional<std::uint64_t> journal_id) {
  const auto text = read_file(files, manifest_name);
  const auto content = text.failed ? std::nullopt : read_manifest(text.value);
  const bool is_it = content && content->journal_id == journal_id.value_or(content->journal_id);
  return is_it ? content : std::nullopt;
}

/// Groups up to this are known to have been synced.
position read_safe(disk& files, std::uint64_t journal_id) {
  const auto copies = read_file(files, safe_name);
  return copies.failed ? 0 : read_safe_copies(copies.value, journal_id);
}

/// The headers that can be read, in order. Of segments that the manifest names; without it, of
/// those that can belong to one journal.
result<std::vector<segment_header>> read_headers(disk& files,
                                                 const std::optional<manifest>& content,
                                                 std::optional<std::uint64_t> journal_id) {
  const auto names =
      wait_for<std::vector<std::string>>(files, [&](auto done) { files.list(std::move(done)); });
  if (names.failed)
    return make_error(errc::store_unreadable,
                      "The journal's directory cannot be read: " + names.failed.message() + ".");
  std::vector<std::uint64_t> ordinals;
  for (const auto& name : names.value)
    if (const auto ordinal = segment_ordinal(name);
        ordinal && (!content || (*ordinal >= content->oldest && *ordinal <= content->newest)))
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
    if (!content) // A rewrite begins before segments that it replaces.
      std::erase_if(out, [&](const segment_header& each) { return each.first > header->first; });
    out.push_back(*header);
  }
  return out;
}

} // namespace

result<void> for_each_readable_group(disk& files, std::optional<std::uint64_t> journal_id,
                                     const std::function<void(const readable_group&)>& visit) {
  const auto content = find_manifest(files, journal_id);
  const auto headers = read_headers(files, content, journal_id);
  if (!headers)
    return headers.error();
  const auto newest = content ? content->newest : 0;
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
    const auto safe = until ? 0 : read_safe(files, header->journal_id);
    const auto scan = scan_segment(bytes.value, *header, safe, until);
    const auto show = [&](const group_place& each) {
      visit({each.at, name, each.offset,
             std::string_view{bytes.value}.substr(each.offset, each.length)});
    };
    std::ranges::for_each(scan.groups, show);
    if (is_end_known && scan.end == segment_end::damaged)
      std::ranges::for_each(scan.behind, show);
  }
  return {};
}

} // namespace troupe::journal
