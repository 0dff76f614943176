#include "store/tools/list_key.hpp"

#include "store/rocksdb/rocksdb_rows.hpp"

namespace troupe {

namespace {

/// Cuts a length of four bytes, and as many bytes, off the front.
bool skip_text(std::string_view& key) {
  constexpr std::size_t length_bytes = 4;
  if (key.size() < length_bytes)
    return false;
  const auto length = big_endian(key.substr(0, length_bytes));
  if (length > key.size() - length_bytes)
    return false;
  key.remove_prefix(length_bytes + length);
  return true;
}

} // namespace

std::uint64_t big_endian(std::string_view bytes) noexcept {
  std::uint64_t out = 0;
  for (const char each : bytes)
    out = (out << 8) | static_cast<unsigned char>(each);
  return out;
}

std::optional<list_key> read_list_key(std::string_view key) {
  if (key.starts_with('y')) {
    key.remove_prefix(1);
    if (!skip_text(key)) // The owner.
      return std::nullopt;
  }
  if (key.size() < 3 || key[0] != 'x')
    return std::nullopt;
  list_key out{static_cast<list_kind>(key[1]), std::nullopt, {}};
  key.remove_prefix(2);
  switch (out.kind) {
    case list_kind::tasks_by_context:
      if (!skip_text(key))
        return std::nullopt;
      break;
    case list_kind::tasks_by_state:
    case list_kind::objectives_by_state:
      out.state = key.front();
      key.remove_prefix(1);
      break;
    default: return std::nullopt;
  }
  const auto where = rows::position_of(key, 0);
  if (!where || where->id.empty())
    return std::nullopt;
  out.id = where->id;
  return out;
}

} // namespace troupe
