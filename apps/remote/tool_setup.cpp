#include "apps/remote/tool_setup.hpp"

#include "apps/runs/run_folder.hpp"
#include "apps/text_file.hpp"
#include "client/remote_agent/limits.hpp"
#include "client/replace_file.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/quoted.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace troupe {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

/// Members of `[remote-agent]` in front of the document's own.
constexpr std::string_view document_member = "config";

known_target as_known_target(const remote_agent::peer& one) {
  known_target out;
  out.alias = one.alias;
  out.to = one.how;
  out.bearer_env = one.names.bearer_env;
  out.bearer_file = one.names.bearer_file;
  out.api_key_env = one.names.api_key_env;
  out.api_key_file = one.names.api_key_file;
  out.to.authentication.api_key_header = one.names.api_key_header;
  out.certificate_file = one.names.certificate_file;
  out.key_file = one.names.key_file;
  out.ca_file = one.names.ca_file;
  return out;
}

remote_agent::peer as_peer(const known_target& one) {
  remote_agent::peer out;
  out.alias = one.alias;
  out.base_url = one.to.url;
  out.card_path = one.to.card_path;
  out.preferred_transports = one.preferred_transports;
  out.description = one.description;
  out.tags = one.tags;
  out.examples = one.examples;
  out.is_default = one.is_default;
  return out;
}

void add_credentials(remote_agent::peer& to, const known_target& known,
                     const variable_reader& variables) {
  auto how = with_credentials(known, variables);
  if (how)
    to.how = std::move(*how);
  else
    to.unusable = how.error();
}

/// The JSON document that the table names, beside the file `name`.
result<remote_agent::settings> read_document(const json::value& named, const std::string& name) {
  const auto* path = named.if_string();
  if (path == nullptr || path->empty())
    return make_error(errc::invalid_document,
                      "\"remote-agent.config\" must be the name of a JSON file");
  const auto beside = fs::path(name).parent_path() / fs::path(std::string(*path));
  const auto text = read_text(beside.string());
  if (!text)
    return text.error();
  boost::system::error_code failed;
  const auto tree = parse_json(*text, failed);
  if (failed || !tree.is_object())
    return make_error(errc::invalid_document,
                      beside.string() + " is no JSON object"
                          + (failed ? ": " + json_fault(failed) : std::string{}));
  auto read = remote_agent::read_settings(tree.get_object(), remote_agent::spelling::camel);
  if (!read)
    return make_error(read.error().code, beside.string() + ": " + read.error().message,
                      read.error().field);
  return read;
}

result<remote_agent::settings> read_table(const json::object& table, const std::string& name) {
  const auto* document = table.if_contains(document_member);
  if (document != nullptr && table.size() > 1)
    return make_error(errc::invalid_document,
                      name
                          + ": \"remote-agent.config\" must be the only setting of its table; the "
                            "others stand in that file");
  if (document != nullptr)
    return read_document(*document, name);
  auto read = remote_agent::read_settings(table, remote_agent::spelling::kebab);
  if (!read)
    return make_error(read.error().code, name + ": in [remote-agent]: " + read.error().message,
                      read.error().field);
  return read;
}

/// Holds a lock file while it lives.
class held_file {
public:
  explicit held_file(const std::string& path)
      : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
    if (file_ >= 0)
      static_cast<void>(::flock(file_, LOCK_EX));
  }
  ~held_file() {
    if (file_ >= 0)
      ::close(file_);
  }
  held_file(const held_file&) = delete;
  held_file& operator=(const held_file&) = delete;

private:
  const int file_;
};

} // namespace

result<remote_agent::settings> tool_settings(std::string_view text, const std::string& name,
                                             const variable_reader& variables) {
  const auto table = read_remote_agent_table(text, name);
  if (!table)
    return table.error();
  remote_agent::settings out;
  out.enabled = false;
  if (*table) {
    auto read = read_table(**table, name);
    if (!read)
      return read.error();
    out = std::move(*read);
    for (auto& each : out.targets)
      add_credentials(each, as_known_target(each), variables);
  }
  const auto rows = read_target_rows(text, name);
  if (!rows)
    return rows.error();
  const auto targets = targets_from(*rows, name);
  if (!targets)
    return targets.error();
  for (const auto& each : *targets) {
    auto one = as_peer(each);
    add_credentials(one, each, variables);
    out.targets.push_back(std::move(one));
  }
  if (const auto fine = remote_agent::complete(out); !fine)
    return make_error(fine.error().code, name + ": " + fine.error().message, fine.error().field);
  return out;
}

result<remote_agent::settings> own_tool_settings() {
  const auto text = own_config_text();
  if (!text)
    return text.error();
  return tool_settings(*text ? **text : std::string{}, own_config_path(),
                       [](const char* name) -> const char* { return std::getenv(name); });
}

result<std::string> own_handles_path() {
  const auto runs = own_runs_folder();
  if (!runs)
    return runs.error();
  return (fs::path(*runs).parent_path() / "remote-agent.json").string();
}

void read_handles(const std::string& path, remote_agent::handles& to) {
  std::error_code failed;
  if (!fs::exists(path, failed))
    return;
  const auto text = read_text(path, remote_agent::handles_file_bytes_max);
  boost::system::error_code wrong;
  if (text)
    to.merge(parse_json(*text, wrong)); // a damaged file is as none: handles are a convenience
}

result<void> keep_handles(const std::string& path, remote_agent::handles& all) {
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  const held_file lock(path + ".lock");
  read_handles(path, all);
  const auto text = json::serialize(all.to_json()) + "\n";
  if (auto written = replace_file(path, text); !written)
    return make_error(errc::unavailable, "the handles cannot be kept: " + written.error().message);
  return {};
}

} // namespace troupe
