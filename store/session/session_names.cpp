#include "store/session/session_names.hpp"

#include "protocol/text/hex.hpp"
#include "protocol/text/percent.hpp"
#include "store/journal/checksum.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace troupe::sessions {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view agent_prefix = "agent:main:";
constexpr std::string_view objective_prefix = "agent:main:a2a:obj:";
constexpr std::string_view file_prefix = "a2a_obj_";
constexpr std::string_view file_ending = ".jsonl";
constexpr std::string_view archived = ".archived.";
constexpr std::string_view openclaw_database = "openclaw-agent.sqlite";
static_assert(objective_prefix.starts_with(agent_prefix));

/// Stay as they are in a file's name, as letters and digits do.
constexpr std::string_view plain_in_names = "._-";

} // namespace

std::string key_of(const objective_id& id) {
  return std::string{objective_prefix} + id.str();
}

std::optional<objective_id> objective_of(std::string_view key) {
  if (!key.starts_with(objective_prefix))
    return std::nullopt;
  key.remove_prefix(objective_prefix.size());
  return is_acceptable_id(key) ? std::optional{objective_id{key}} : std::nullopt;
}

std::string file_name_of(const objective_id& id) {
  std::string stem{file_prefix};
  for (const auto c : id.str()) {
    const auto before = stem.size();
    stem += percent_encoded({&c, 1}, plain_in_names);
    if (stem.size() <= stem_bytes_max)
      continue;
    stem.resize(before); // Not within `%XX`.
    stem += '-';
    append_hex(stem, journal::checksum(id.str()), 16);
    break;
  }
  return stem.append(file_ending);
}

std::string archive_name_of(std::string_view file, timestamp at) {
  auto time = to_rfc3339(at);
  std::ranges::replace(time, ':', '-');
  return std::string{file}.append(archived).append(time);
}

std::optional<timestamp> archive_time_of(std::string_view name, std::string_view file) {
  constexpr std::size_t minutes_at = 13; // 2026-11-25T18-33-19.000Z
  constexpr std::size_t seconds_at = 16;
  if (!name.starts_with(file) || !name.substr(file.size()).starts_with(archived))
    return std::nullopt;
  std::string time{name.substr(file.size() + archived.size())};
  if (time.size() <= seconds_at || time[minutes_at] != '-' || time[seconds_at] != '-')
    return std::nullopt;
  time[minutes_at] = time[seconds_at] = ':';
  const auto at = parse_rfc3339(time);
  return at && archive_name_of(file, *at) == name ? at : std::nullopt;
}

std::string_view session_file_of(std::string_view name) {
  if (!name.starts_with(file_prefix))
    return {};
  const auto end = name.rfind(archived);
  const auto file = name.substr(0, end);
  if (!file.ends_with(file_ending))
    return {};
  return end == std::string_view::npos || archive_time_of(name, file) ? file : std::string_view{};
}

std::string session_id_of(std::string_view key, std::string_view parent) {
  const auto text = std::string{key}.append(1, '\0').append(parent);
  std::string digits;
  append_hex(digits, journal::checksum(text), 16);
  append_hex(digits, journal::checksum(text, 1), 16);
  digits[12] = '8';                                                // The version,
  digits[16] = "89ab"[static_cast<unsigned char>(digits[16]) % 4]; // and the variant.
  for (const std::size_t at : {8U, 13U, 18U, 23U})
    digits.insert(at, 1, '-');
  return digits;
}

result<void> refuse_live_directory(const std::string& directory) {
  std::error_code unknown;
  auto whole = fs::weakly_canonical(directory, unknown);
  if (unknown)
    whole = fs::absolute(directory, unknown);
  if (!whole.has_filename()) // `sessions/`, where there is no such directory yet.
    whole = whole.parent_path();
  for (const auto& place : std::array{whole.parent_path() / "agent", whole})
    if (const auto database = place / openclaw_database; fs::exists(database, unknown))
      return make_error(errc::store_failed,
                        "Sessions cannot be written in " + directory
                            + ": OpenClaw keeps its own in " + database.string()
                            + " and calls a session file beside it a fault. Nothing was written. "
                              "Export into another directory, and let OpenClaw import from there.");
  return {};
}

} // namespace troupe::sessions
