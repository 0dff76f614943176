#include "store/rocksdb/old_log.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace troupe {

namespace {

// The format of the file (RocksDB's wiki, "Write Ahead Log File Format"): blocks of 32 KiB; records
// that lie in one block each: checksum, length of the payload, type, payload. A batch is one record
// or several.
constexpr std::size_t block_bytes = 32768;
constexpr std::size_t record_header_bytes = 7;
enum class record_type : std::uint8_t { none, full, first, middle, last };

constexpr auto crc32c_table = [] {
  constexpr std::uint32_t polynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    auto value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1U) != 0 ? (value >> 1) ^ polynomial : value >> 1;
    out[i] = value;
  }
  return out;
}();

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char each : bytes)
    crc = crc32c_table[(crc ^ static_cast<unsigned char>(each)) & 0xffU] ^ (crc >> 8);
  return ~crc;
}

/// RocksDB keeps checksums in this form.
std::uint32_t masked(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

std::uint32_t number_at(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint32_t out = 0;
  for (std::size_t i = size; i-- > 0;)
    out = (out << 8) | static_cast<unsigned char>(bytes[offset + i]);
  return out;
}

struct log_record {
  record_type type = record_type::none;
  std::size_t end = 0; ///< Where the next one begins.
};

/// The record at `offset`, if there is a whole and undamaged one.
std::optional<log_record> record_at(std::string_view bytes, std::size_t offset) {
  const auto block_end = std::min(bytes.size(), (offset / block_bytes + 1) * block_bytes);
  if (offset + record_header_bytes > block_end)
    return std::nullopt;
  const auto type = static_cast<unsigned char>(bytes[offset + 6]);
  const auto end = offset + record_header_bytes + number_at(bytes, offset + 4, 2);
  if (type < static_cast<unsigned>(record_type::full)
      || type > static_cast<unsigned>(record_type::last) || end > block_end)
    return std::nullopt;
  const auto summed = bytes.substr(offset + 6, end - offset - 6);
  if (masked(crc32c(summed)) != number_at(bytes, offset, 4))
    return std::nullopt;
  return log_record{static_cast<record_type>(type), end};
}

bool begins_batch(record_type type) {
  return type == record_type::full || type == record_type::first;
}

/// A record does not begin in the last bytes of a block.
std::size_t begin_of_record(std::size_t offset) {
  const auto left = block_bytes - offset % block_bytes;
  return left < record_header_bytes ? offset + left : offset;
}

} // namespace

old_log_scan scan_old_log(std::string_view bytes) {
  old_log_scan out;
  std::size_t offset = 0;
  std::optional<std::size_t> batch; ///< Begin of one whose last record is still to come.
  std::optional<log_record> record;
  for (; (record = record_at(bytes, begin_of_record(offset))); offset = record->end) {
    if (begins_batch(record->type) == batch.has_value())
      break;
    if (record->type == record_type::first)
      batch = begin_of_record(offset);
    if (record->type == record_type::full || record->type == record_type::last) {
      ++out.batches;
      batch.reset();
    }
  }
  offset = std::min(begin_of_record(offset), bytes.size());
  // Zeros at the end are room for records to come.
  if (!batch && bytes.find_first_not_of('\0', offset) == std::string_view::npos)
    return out;
  out.bad_at = batch.value_or(offset);
  for (auto at = record ? offset : offset + 1; at < bytes.size(); ++at) {
    at = std::min(bytes.find_first_not_of('\0', at), bytes.size());
    // The zeros may be the begin of a record.
    for (auto begin = at - std::min(at - offset, record_header_bytes - 1); begin <= at; ++begin)
      if (const auto found = record_at(bytes, begin);
          found && begins_batch(found->type) && begin > *out.bad_at) {
        out.readable_at = begin;
        return out;
      }
  }
  return out;
}

result<std::string> look_at_old_log(rocksdb::Env& env, const std::string& directory) {
  std::vector<std::string> names;
  if (!env.GetChildren(directory, &names).ok())
    return std::string{}; // There is none, or the opening says why.
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".log"); });
  std::ranges::sort(names); // Numbers with leading zeros.
  std::string where;
  const auto damaged = [&](const std::string& behind) {
    return make_error(errc::store_failed,
                      "The store in " + directory + " is damaged: " + where
                          + " cannot be read, and whole records follow it (" + behind
                          + "). Nothing was changed; restore the directory from a backup.");
  };
  for (const auto& name : names) {
    std::string bytes;
    if (const auto read = rocksdb::ReadFileToString(&env, directory + "/" + name, &bytes);
        !read.ok())
      return make_error(errc::store_unreadable, "The file \"" + name + "\" in " + directory
                                                    + " cannot be read (" + read.ToString() + ").");
    const auto scan = scan_old_log(bytes);
    if (!where.empty() && scan.batches > 0)
      return damaged("\"" + name + "\"");
    if (!scan.bad_at)
      continue;
    where = "\"" + name + "\", byte " + std::to_string(*scan.bad_at) + ",";
    if (scan.readable_at)
      return damaged("byte " + std::to_string(*scan.readable_at));
  }
  return where.empty() ? where
                       : "The end of the journal was torn and has been cut off (" + where
                             + " is not whole). Nothing that was acknowledged is lost.";
}

} // namespace troupe
