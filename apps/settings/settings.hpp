// Everything `troupe serve` can be told, as one value and one table of its names. The configuration
// file, the flags and --print-config all go through the table, so that they can never differ.
#pragma once

#include "apps/log.hpp"
#include "apps/options.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/agents/register_builtin.hpp>
#include <troupe/net/server_options.hpp>
#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

struct serve_settings {
  server_options server;
  executor_options executor;
  store_choice store{
      .kind = store_kind::rocksdb, .durability = durability::sync, .directory = "troupe-data"};
  std::string agent;             ///< Empty: the registry's default.
  bool commands_allowed = false; ///< Any client of the server may then run any program as its user.
  std::uint32_t command_parallel_max = 0;    ///< 0: one per core.
  std::vector<std::string> variables_passed; ///< Of the server, to commands that ask for them.
  std::size_t memory_bytes_max = 0;          ///< 0: as memory_given says (apps/memory_given.hpp).
  log_options log;
  std::chrono::milliseconds drain_bound{10'000};
  /// Tasks of the agent `a2a` may name URLs with private addresses.
  bool private_urls_allowed = false;
  std::string a2a_target;   ///< delegation_options::default_target.
  std::string a2a_proxy;    ///< net::proxy_rules::read; empty: none.
  std::size_t hops_max = 8; ///< Servers through which a task may go, this one included.
  /// Without any answer of an agent elsewhere for so long the attempt fails.
  std::chrono::milliseconds lost_after{600'000};
  /// How long the answer to a cancel waits for agents elsewhere.
  std::chrono::milliseconds cancel_wait{5'000};
  std::string templates_directory; ///< Of templates beside those of the program; empty: none.
  std::string planner_model;       ///< A name of `[models.NAME]`; empty: no model plans.
  std::shared_ptr<program_gate> programs; ///< Of the command agent. Null: none.
  std::string llm_model;                  ///< Of tasks of the agent `llm` that name none.
  bool llm_answers_directly = false;      ///< agent::answers_directly of the agent `llm`.
};

using text_list = std::vector<std::string>;
/// An array of tables; members in the order in which they are printed.
using text_cell = std::variant<std::string, text_list>;
using text_row = std::vector<std::pair<std::string, text_cell>>;
using text_rows = std::vector<text_row>;

/// As TOML has them; times are numbers of seconds.
using setting_value = std::variant<bool, std::int64_t, double, std::string, text_list, text_rows>;

/// One name. `set` refuses with errc::invalid_params and a message that says what it takes, without
/// the name.
struct setting {
  std::string_view key; ///< `listen`, or `limits.streams` for one in a table.
  std::string_view help;
  std::function<result<void>(serve_settings&, const setting_value&)> set;
  std::function<setting_value(const serve_settings&)> get;
  bool is_secret = false; ///< Is not printed.
  /// Of a number: `seconds`, `bytes`, or empty. Of a name: those there are, `a|b`.
  std::string unit{};
  bool is_reloadable = false; ///< SIGHUP takes a new value; others need a restart.
};

/// All of them; those of one table stand together.
[[nodiscard]] const std::vector<setting>& all_settings();

/// Null if there is none of that name.
[[nodiscard]] const setting* find_setting(std::string_view key);

/// The known key most like `key`; empty if none is close.
[[nodiscard]] std::string_view similar_setting(std::string_view key);

/// A flag's text as the value the setting takes now (a number, a truth value, a text, or a list of
/// texts with commas between them). The error names the flag.
[[nodiscard]] result<void> set_from_text(serve_settings& to, std::string_view key,
                                         const std::string& text);

/// The names of those whose values differ.
[[nodiscard]] std::vector<std::string_view> differences(const serve_settings& a,
                                                        const serve_settings& b);

/// `key = value` for each that differs from the default, with commas between them; of a secret only
/// that it is set.
[[nodiscard]] std::string changed_settings(const serve_settings& serve_settings);

/// A value as TOML has it. Not for tables.
[[nodiscard]] std::string toml_of(const setting_value& value);

/// The value of one as TOML has it; of `[[key]]` tables how many there are.
[[nodiscard]] std::string shown_value(const setting& which, const serve_settings& serve_settings);

/// The whole of it as a TOML file with a comment per line; reads back the same, but for secrets,
/// which are left out.
[[nodiscard]] std::string print_settings(const serve_settings& serve_settings);

} // namespace troupe
