#include "store/journal/layout.hpp"

#include "protocol/text/hex.hpp"
#include "store/journal/checksum.hpp"

#include <charconv>

namespace troupe::journal {

namespace {

constexpr std::string_view segment_prefix{"segment-"};
constexpr std::size_t ordinal_digits = 8;

std::string hex_line(std::string_view name, std::uint64_t value) {
  auto out = std::string{name} + ' ';
  append_hex(out, value, 16);
  return out + '\n';
}

std::string line(std::string_view name, std::uint64_t value) {
  return std::string{name} + ' ' + std::to_string(value) + '\n';
}

/// Takes the line `name value` from the front of `text`.
std::optional<std::uint64_t> take(std::string_view& text, std::string_view name, int base = 10) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(name) || text[name.size()] != ' ')
    return std::nullopt;
  std::uint64_t value = 0;
  const auto* const begin = text.data() + name.size() + 1;
  const auto* const stop = text.data() + end;
  const auto read = std::from_chars(begin, stop, value, base);
  if (read.ec != std::errc{} || read.ptr != stop)
    return std::nullopt;
  text.remove_prefix(end + 1);
  return value;
}

} // namespace

std::string segment_name(std::uint64_t ordinal) {
  auto digits = std::to_string(ordinal);
  if (digits.size() < ordinal_digits)
    digits.insert(0, ordinal_digits - digits.size(), '0');
  return std::string{segment_prefix} + digits;
}

std::optional<std::uint64_t> segment_ordinal(std::string_view name) {
  if (!name.starts_with(segment_prefix))
    return std::nullopt;
  const auto digits = name.substr(segment_prefix.size());
  std::uint64_t ordinal = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (read.ec != std::errc{} || segment_name(ordinal) != name)
    return std::nullopt;
  return ordinal;
}

std::string write_manifest(const manifest& content) {
  auto out = line("troupe-journal", content.format) + hex_line("id", content.journal_id)
             + line("oldest", content.oldest) + line("newest", content.newest);
  return out + hex_line("check", checksum(out));
}

std::optional<manifest> read_manifest(std::string_view text) {
  const auto whole = text;
  const auto version = take(text, "troupe-journal");
  const auto id = take(text, "id", 16);
  const auto oldest = take(text, "oldest");
  const auto newest = take(text, "newest");
  const auto summed = whole.size() - text.size();
  const auto check = take(text, "check", 16);
  if (!version || !id || !oldest || !newest || !check || !text.empty()
      || *check != checksum(whole.substr(0, summed)))
    return std::nullopt;
  return manifest{*id, *oldest, *newest, *version};
}

} // namespace troupe::journal
