#include "store/session/session_chain.hpp"

#include "store/session/session_file.hpp"
#include "store/session/session_names.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace troupe::sessions {

namespace {

namespace fs = std::filesystem;

error missing_parent(const std::string& file, const std::string& parent) {
  return make_error(
      errc::store_failed,
      "The session file " + file + " continues " + parent
          + ", which is not beside it. It has the earlier changes: put it beside this "
            "file, and try again.");
}

} // namespace

bool is_only_begun(const std::string& path) {
  constexpr std::uintmax_t first_line_bytes_max = 8192;
  constexpr std::string_view beginning = R"({"type":"session","version":3,"id":")";
  std::error_code unknown;
  if (fs::file_size(path, unknown) > first_line_bytes_max || unknown)
    return false;
  const auto bytes = read_small_file(path);
  return bytes && bytes->find('\n') == std::string::npos
         && (bytes->starts_with(beginning) || beginning.starts_with(*bytes));
}

result<std::map<std::string, session_files>> list_sessions(const std::string& directory) {
  std::map<std::string, session_files> out;
  std::error_code failed;
  for (fs::directory_iterator each{directory, failed}, end; !failed && each != end;
       each.increment(failed)) {
    const auto name = each->path().filename().string();
    const auto file = session_file_of(name);
    if (file.empty())
      continue;
    auto& found = out[std::string{file}];
    if (file.size() == name.size()) {
      found.is_growing = true;
      continue;
    }
    // The times in their names have one form, and order as texts.
    found.archive = std::max(found.archive, name);
  }
  if (failed)
    return make_error(errc::store_unreadable, "The directory of sessions " + directory
                                                  + " cannot be read (" + failed.message() + ").");
  return out;
}

result<whole_session> read_chain(const std::string& file) {
  whole_session out;
  std::vector<std::vector<change>> parts; // The last one first.
  std::set<std::string> seen;
  for (auto path = fs::path{file}; !path.empty();) {
    auto& changes = parts.emplace_back();
    auto read = read_session_file(path.string(),
                                  [&](change&& news) { changes.push_back(std::move(news)); });
    if (!read)
      return read.error();
    const auto id = *objective_of(read->head.key);
    if (out.files.empty()) {
      out.id = id;
      out.cut = read->cut;
    } else if (id != out.id) {
      return make_error(errc::store_failed, "The session file " + path.string()
                                                + " is of another objective, " + shown(id.str())
                                                + ".");
    }
    out.files.insert(out.files.begin(), path.string());
    const auto& parent = read->head.parent;
    if (parent.empty())
      break;
    const auto next = path.parent_path() / parent;
    std::error_code unknown;
    if (fs::path{parent}.filename() != parent || !seen.insert(parent).second
        || !fs::exists(next, unknown))
      return missing_parent(path.string(), shown(parent));
    path = next;
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    for (auto& news : *part)
      out.changes.push_back(std::move(news));
  return out;
}

std::string describe_cut(const std::string& file, const cut_end& cut) {
  return file + " was cut short in line " + std::to_string(cut.line) + " (" + cut.problem
         + "): its last " + std::to_string(cut.bytes) + " bytes are left out.";
}

} // namespace troupe::sessions
