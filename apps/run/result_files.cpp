#include "apps/run/result_files.hpp"

#include "apps/terminal/text.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

bool has_ending(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size();
}

std::string_view ending_of(const part& one) {
  if (std::holds_alternative<data_content>(one.content))
    return ".json";
  if (std::holds_alternative<raw_content>(one.content))
    return ".bin";
  if (std::holds_alternative<url_content>(one.content))
    return ".url";
  return ".txt";
}

std::string bytes_of_part(const part& one) {
  if (const auto* text = std::get_if<text_content>(&one.content))
    return text->text;
  if (const auto* raw = std::get_if<raw_content>(&one.content))
    return raw->bytes;
  if (const auto* url = std::get_if<url_content>(&one.content))
    return url->url + "\n";
  return json_text(std::get<data_content>(one.content).data) + "\n";
}

error not_written(const std::string& path, int reason) {
  return make_error(errc::unavailable,
                    path + ": cannot be written: " + std::generic_category().message(reason));
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(0, written)));
  }
  return true;
}

result<void> write_file(const std::string& directory, const result_file& file) {
  const auto path = (fs::path(directory) / file.path).string();
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (failed)
    return not_written(path, failed.value());
  const int to = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (to < 0)
    return not_written(path, errno);
  const bool written = write_all(to, bytes_of_part(*file.content));
  const int reason = errno;
  ::close(to);
  if (!written)
    return not_written(path, reason);
  return {};
}

} // namespace

std::string safe_file_name(std::string_view name) {
  std::string out = clean_line(name);
  std::ranges::replace(out, '/', '_');
  std::ranges::replace(out, '\\', '_');
  while (out.starts_with('.') || out.starts_with('-') || out.starts_with(' '))
    out.erase(0, 1);
  while (out.ends_with(' '))
    out.pop_back();
  if (out.size() > file_name_bytes_max) {
    const auto dot = out.rfind('.');
    const auto ending = dot == std::string::npos || out.size() - dot > 10 ? "" : out.substr(dot);
    out.resize(file_name_bytes_max - ending.size());
    while (!is_utf8(out))
      out.pop_back();
    out += ending;
  }
  return out.empty() ? "unnamed" : out;
}

std::string result_namer::unused(std::string path) {
  const fs::path written(path);
  for (std::size_t n = 2; !used_.insert(ascii_lower(path)).second; ++n)
    path = (written.parent_path() / written.stem()).string() + "-" + std::to_string(n)
           + written.extension().string();
  return path;
}

std::vector<result_file> result_namer::name(const task_result& result) {
  const auto folder = unused(safe_file_name(result.plan) + "/" + safe_file_name(result.task));
  std::vector<result_file> out;
  for (const auto& artifact : result.artifacts)
    for (const auto& one : artifact->parts) {
      const auto& own = artifact->name.empty() ? artifact->artifact_id : artifact->name;
      auto name = safe_file_name(one.filename.empty() ? own : one.filename);
      if (one.filename.empty() && !has_ending(name))
        name += ending_of(one);
      out.push_back({unused(folder + "/" + name), &one});
    }
  return out;
}

result<void> make_output_directory(const std::string& directory) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (!failed && ::access(directory.c_str(), W_OK) != 0)
    failed = std::error_code(errno, std::generic_category());
  if (failed)
    return make_error(errc::unavailable, directory + ": cannot be used for results: "
                                             + failed.message() + " (--output-dir)");
  return {};
}

result<void> write_results(const std::string& directory, const record_reader& records,
                           const objective_view& view, output_choice choice) {
  result_namer names;
  result<void> out;
  const auto write = [&](const task_result& one) {
    for (const auto& file : names.name(one))
      if (auto done = write_file(directory, file); !done && out)
        out = done;
  };
  // A directory that a person names is not left empty because nothing is to be printed.
  const auto chosen = choice == output_choice::all ? choice : output_choice::results;
  const auto unread = for_each_result(records, view, chosen_results(view, chosen), write);
  if (out && !unread.empty())
    out = make_error(unread.front().why.code, directory + ": the results of " + unread.front().place
                                                  + " are missing: " + unread.front().why.message);
  return out;
}

} // namespace troupe
