#include "apps/open_store.hpp"

#include "apps/progress_line.hpp"
#include "apps/terminal.hpp"
#include "apps/text.hpp"
#include "store/rocksdb/rocksdb_store.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace troupe {

namespace {

/// FNV-1a, 32 bits (draft-eastlake-fnv-17): only to tell files of the same name apart.
std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

} // namespace

result<std::unique_ptr<store>> open_store(const store_choice& choice) {
  if (choice.kind == store_kind::memory)
    return make_memory_store({.memory = choice.memory});
  output err{STDERR_FILENO};
  progress_line line{err};
  rocksdb_internals how;
  how.on_progress = [&](const start_progress& at) {
    line.show("recovering: " + std::to_string(at.done) + " of "
              + counted(at.all, at.stage, at.stage));
  };
  return open_rocksdb_store(
      {.directory = choice.directory, .durability = choice.durability, .memory = choice.memory},
      how);
}

result<std::string> default_run_directory(const std::string& file, std::string_view text,
                                          const char* xdg_state_home, const char* home) {
  namespace fs = std::filesystem;
  fs::path state;
  // A relative XDG_STATE_HOME is to be ignored, the specification says.
  if (xdg_state_home != nullptr && fs::path(xdg_state_home).is_absolute())
    state = xdg_state_home;
  else if (home != nullptr && *home != '\0')
    state = fs::path(home) / ".local" / "state";
  else
    return make_error(
        errc::unavailable,
        "neither XDG_STATE_HOME nor HOME is set: say with --data DIR where the record "
        "is to be kept, or use --store memory");
  std::string stem = "stdin";
  std::string identity(text);
  if (file != "-") {
    std::error_code ignored;
    const fs::path canonical = fs::weakly_canonical(file, ignored);
    identity = (ignored ? fs::path(file) : canonical).string();
    stem = valid_utf8(fs::path(file).stem().string());
    if (stem.size() > 100)
      stem = cut_to(stem, 50, "");
  }
  std::array<char, 16> hash{};
  std::snprintf(hash.data(), hash.size(), "%08x", fnv1a(identity));
  return (state / "troupe" / "runs" / (stem + "-" + hash.data())).string();
}

} // namespace troupe
