#include "apps/settings/model_rows.hpp"

#include "apps/settings/setting_kinds.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/blanks.hpp"
#include "protocol/text/near_name.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace troupe {

namespace {

using models::model_settings;

/// What the members lead to, beside the settings themselves.
struct model_draft {
  model_settings settings;
  std::string key_env;
  std::string key_file;
  std::string ca_file;
};

error wrong_value(std::string text) {
  return make_error(errc::invalid_document, std::move(text));
}

using model_taker = result<void> (*)(model_draft&, const setting_value&);

template<std::string model_draft::*Member>
result<void> take_draft_text(model_draft& to, const setting_value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr)
    return wrong_value("must be a string");
  to.*Member = *text;
  return {};
}

template<std::string model_settings::*Member>
result<void> take_text(model_draft& to, const setting_value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || text->empty())
    return wrong_value("must be a string that is not empty");
  to.settings.*Member = *text;
  return {};
}

template<bool model_settings::*Member>
result<void> take_truth(model_draft& to, const setting_value& value) {
  const auto* truth = std::get_if<bool>(&value);
  if (truth == nullptr)
    return wrong_value("must be true or false");
  to.settings.*Member = *truth;
  return {};
}

result<double> amount_of(const setting_value& value, double most) {
  const auto out = setting_kinds::real_number(value);
  if (!(out >= 0) || out > most)
    return wrong_value("must be a number from 0 on");
  return out;
}

result<std::chrono::milliseconds> span_of(const setting_value& value) {
  constexpr double seconds_max = 315'360'000.0; // ten years
  const auto seconds = setting_kinds::real_number(value);
  if (!(seconds > 0) || seconds > seconds_max)
    return wrong_value("must be a number of seconds above 0");
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(seconds * 1000))};
}

result<models::money> money_of(const setting_value& value) {
  constexpr double most = 1e12;
  auto amount = amount_of(value, most);
  if (!amount)
    return amount.error();
  return static_cast<models::money>(std::llround(*amount * 1e6));
}

template<std::chrono::milliseconds models::model_timeouts::*Member>
result<void> take_timeout(model_draft& to, const setting_value& value) {
  auto span = span_of(value);
  if (!span)
    return span.error();
  to.settings.timeouts.*Member = *span;
  return {};
}

template<models::money models::price_list::*Member>
result<void> take_price(model_draft& to, const setting_value& value) {
  auto price = money_of(value);
  if (!price)
    return price.error();
  to.settings.prices.*Member = *price;
  return {};
}

result<void> take_kind(model_draft& to, const setting_value& value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto* row = text == nullptr ? nullptr : models::find_server_kind(*text);
  if (row == nullptr) {
    std::string all;
    for (const auto& each : models::server_rows())
      all += (all.empty() ? "" : ", ") + std::string(each.name);
    return wrong_value("must be one of " + all);
  }
  to.settings.kind = row->kind;
  return {};
}

result<void> take_answer_tokens(model_draft& to, const setting_value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < 1 || *number > std::numeric_limits<std::int32_t>::max())
    return wrong_value("must be a whole number of at least 1");
  to.settings.answer_tokens_max = static_cast<std::uint32_t>(*number);
  return {};
}

result<void> take_parallel(model_draft& to, const setting_value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr || *number < 1 || *number > 10'000)
    return wrong_value("must be a whole number from 1 to 10000");
  to.settings.calls_max = static_cast<std::size_t>(*number);
  return {};
}

result<void> take_temperature(model_draft& to, const setting_value& value) {
  auto number = amount_of(value, 10);
  if (!number)
    return number.error();
  to.settings.temperature = *number;
  return {};
}

result<void> take_seed(model_draft& to, const setting_value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr)
    return wrong_value("must be a whole number");
  to.settings.seed = *number;
  return {};
}

/// Members that the client writes itself.
constexpr auto own_members =
    std::to_array<std::string_view>({"model", "messages", "stream", "tools"});

result<void> take_extra(model_draft& to, const setting_value& value) {
  const auto* text = std::get_if<std::string>(&value);
  boost::system::error_code failed;
  auto tree = text == nullptr ? boost::json::value{} : parse_json(*text, failed);
  if (failed || !tree.is_object())
    return wrong_value("must be a JSON object as a string");
  for (const auto each : own_members)
    if (tree.get_object().contains(each))
      return wrong_value("must not have the member " + troupe::quoted(each));
  to.settings.extra = std::move(tree.get_object());
  return {};
}

struct model_member {
  std::string_view name;
  model_taker take;
};

constexpr auto model_members = std::to_array<model_member>({
    {"url", take_text<&model_settings::url>},
    {"path", take_text<&model_settings::path>},
    {"model", take_text<&model_settings::model>},
    {"kind", take_kind},
    {"key-env", take_draft_text<&model_draft::key_env>},
    {"key-file", take_draft_text<&model_draft::key_file>},
    {"ca-file", take_draft_text<&model_draft::ca_file>},
    {"allow-http", take_truth<&model_settings::allow_http>},
    {"allow-private", take_truth<&model_settings::allow_private>},
    {"stream", take_truth<&model_settings::streams>},
    {"log-prompts", take_truth<&model_settings::logs_prompts>},
    {"parallel", take_parallel},
    {"max-tokens", take_answer_tokens},
    {"temperature", take_temperature},
    {"seed", take_seed},
    {"extra", take_extra},
    {"connect-seconds", take_timeout<&models::model_timeouts::connect>},
    {"first-byte-seconds", take_timeout<&models::model_timeouts::first_byte>},
    {"idle-seconds", take_timeout<&models::model_timeouts::idle>},
    {"whole-seconds", take_timeout<&models::model_timeouts::whole>},
    {"price-prompt", take_price<&models::price_list::prompt_million>},
    {"price-answer", take_price<&models::price_list::answer_million>},
});

constexpr auto budget_units = std::to_array<std::string_view>({"tokens", "money", "seconds"});
constexpr auto all_scopes = std::to_array<models::budget_scope>(
    {models::budget_scope::call, models::budget_scope::task, models::budget_scope::objective,
     models::budget_scope::day});

std::string budget_member(models::budget_scope scope, std::string_view unit) {
  return "budget-" + std::string(to_string(scope)) + "-" + std::string(unit);
}

result<void> set_budget(models::spending_limits& to, std::string_view unit,
                        const setting_value& value) {
  if (unit == "tokens") {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < 0)
      return wrong_value("must be a whole number from 0 on");
    to.tokens = static_cast<std::uint64_t>(*number);
  } else if (unit == "money") {
    auto amount = money_of(value);
    if (!amount)
      return amount.error();
    to.cost = *amount;
  } else {
    auto span = span_of(value);
    if (!span)
      return span.error();
    to.time = *span;
  }
  return {};
}

/// Whether it is one; then `done` says how it went.
bool take_budget(model_draft& to, const std::string& key, const setting_value& value,
                 result<void>& done) {
  for (const auto scope : all_scopes)
    for (const auto unit : budget_units)
      if (key == budget_member(scope, unit)) {
        done = set_budget(to.settings.budgets[static_cast<std::size_t>(scope)], unit, value);
        return true;
      }
  return false;
}

result<void> take_model_member(model_draft& to, const std::string& key,
                               const setting_value& value) {
  result<void> done;
  const auto* found = std::ranges::find(model_members, key, &model_member::name);
  if (found != model_members.end())
    done = found->take(to, value);
  else if (!take_budget(to, key, value, done)) {
    const auto names = model_member_names();
    const std::vector<std::string_view> known(names.begin(), names.end());
    return wrong_value("unknown member " + troupe::quoted(key, 64) + did_you_mean(key, known));
  }
  if (!done)
    return wrong_value(troupe::quoted(key) + " " + done.error().message);
  return done;
}

/// The key, or why it cannot be had.
result<std::string> key_of(const model_draft& from, const model_variables& variables,
                           const model_files& files) {
  const auto of_model = "the key of the model " + troupe::quoted(from.settings.name);
  std::string out;
  if (!from.key_env.empty()) {
    const auto* value = variables(from.key_env.c_str());
    if (value == nullptr || *value == '\0')
      return make_error(errc::unavailable,
                        of_model + " is in the variable " + from.key_env + ", which is not set");
    out = without_blank_end(value);
  } else if (!from.key_file.empty()) {
    auto text = files(from.key_file);
    if (!text)
      return make_error(text.error().code, of_model + ": " + text.error().message);
    out = without_blank_end(*text);
    if (out.empty())
      return make_error(errc::invalid_params, of_model + " is empty");
  }
  if (!std::ranges::all_of(out, [](char c) { return c > ' ' && c <= '~'; }))
    return make_error(errc::invalid_params,
                      of_model + " has blanks, line breaks or other characters that no key has");
  return out;
}

result<model_settings> finished(model_draft from, const model_variables& variables,
                                const model_files& files) {
  auto& out = from.settings;
  if (out.url.empty() || out.model.empty())
    return wrong_value("\"url\" and \"model\" are needed");
  if (!out.path.starts_with('/'))
    return wrong_value("\"path\" must begin with /");
  if (!from.key_env.empty() && !from.key_file.empty())
    return wrong_value("a key comes from a file or from a variable, not from both");
  const bool has_prices = out.prices.prompt_million > 0 || out.prices.answer_million > 0;
  for (const auto& each : out.budgets)
    if (each.cost && !has_prices)
      return wrong_value("a budget in money needs \"price-prompt\" and \"price-answer\"");
  auto key = key_of(from, variables, files);
  if (key)
    out.key = std::move(*key);
  else
    out.no_key = key.error();
  if (const auto url = models::request_url(out); !url)
    return wrong_value(url.error().message);
  if (!from.ca_file.empty()) {
    auto text = files(from.ca_file);
    if (!text)
      return wrong_value("\"ca-file\": " + text.error().message);
    out.trusted_pem = std::move(*text);
  }
  return std::move(out);
}

/// A name as a key of TOML, which stands alone if it can.
std::string toml_key(const std::string& name) {
  const bool is_bare = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
           || c == '_';
  });
  return is_bare ? name : toml_of(setting_value(name));
}

} // namespace

std::string print_models(const std::vector<model_row>& rows) {
  std::string out = "\n# [models.NAME]: language models (docs/models.md)\n";
  for (const auto& row : rows) {
    out += "[models." + toml_key(row.name) + "]\n";
    for (const auto& [member, value] : row.members)
      out += member + " = " + toml_of(value) + "\n";
  }
  return out;
}

std::vector<std::string> model_member_names() {
  std::vector<std::string> out;
  for (const auto& each : model_members)
    out.emplace_back(each.name);
  for (const auto scope : all_scopes)
    for (const auto unit : budget_units)
      out.push_back(budget_member(scope, unit));
  return out;
}

result<std::vector<model_settings>> models_from(const std::vector<model_row>& rows,
                                                const std::string& name,
                                                const model_variables& variables,
                                                const model_files& files) {
  std::vector<model_settings> out;
  for (const auto& row : rows) {
    const auto wrong = [&](const error& why) {
      return make_error(errc::invalid_document, name + ":" + std::to_string(row.line)
                                                    + ": in [models." + row.name
                                                    + "]: " + why.message);
    };
    model_draft draft;
    draft.settings.name = row.name;
    for (const auto& [key, value] : row.members)
      if (auto taken = take_model_member(draft, key, value); !taken)
        return wrong(taken.error());
    auto made = finished(std::move(draft), variables, files);
    if (!made)
      return wrong(made.error());
    out.push_back(std::move(*made));
  }
  return out;
}

} // namespace troupe
