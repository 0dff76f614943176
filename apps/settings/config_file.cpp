#include "apps/settings/config_file.hpp"

#include "apps/text_file.hpp"
#include "protocol/json/quoted.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <toml++/toml.h>

#include <optional>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

error at_line(const std::string& name, const toml::source_region& where,
              const std::string& message) {
  return make_error(errc::invalid_document,
                    name + ":" + std::to_string(where.begin.line) + ": " + message);
}

std::optional<text_list> texts_of(const toml::array& from) {
  text_list out;
  for (const auto& item : from) {
    const auto* text = item.as_string();
    if (text == nullptr)
      return std::nullopt;
    out.push_back(text->get());
  }
  return out;
}

/// An array of tables that hold texts and lists of texts.
std::optional<text_rows> rows_of(const toml::array& from) {
  text_rows out;
  for (const auto& item : from) {
    const auto* table = item.as_table();
    if (table == nullptr)
      return std::nullopt;
    auto& row = out.emplace_back();
    for (const auto& [key, node] : *table) {
      const std::string name(key.str());
      if (const auto* text = node.as_string())
        row.emplace_back(name, text->get());
      else if (const auto texts = node.is_array() ? texts_of(*node.as_array()) : std::nullopt)
        row.emplace_back(name, *texts);
      else
        return std::nullopt;
    }
  }
  return out;
}

std::optional<setting_value> value_of(const toml::node& node) {
  if (const auto* text = node.as_string())
    return setting_value{text->get()};
  if (const auto* number = node.as_integer())
    return setting_value{number->get()};
  if (const auto* number = node.as_floating_point())
    return setting_value{number->get()};
  if (const auto* truth = node.as_boolean())
    return setting_value{truth->get()};
  if (const auto* array = node.as_array()) {
    if (auto texts = texts_of(*array))
      return setting_value{std::move(*texts)};
    if (auto rows = rows_of(*array))
      return setting_value{std::move(*rows)};
  }
  return std::nullopt;
}

bool is_table_name(std::string_view prefix) {
  for (const auto& each : all_settings())
    if (each.key.starts_with(prefix) && each.key.size() > prefix.size()
        && each.key[prefix.size()] == '.')
      return true;
  return false;
}

result<void> read_table(serve_settings& to, const toml::table& table, const std::string& prefix,
                        const std::string& name) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix + std::string(key.str());
    if (path == targets_table || path == models_table || path == remote_agent_table)
      continue;
    const auto& where = node.source();
    if (const auto* inner = node.as_table(); inner != nullptr && is_table_name(path)) {
      if (auto done = read_table(to, *inner, path + ".", name); !done)
        return done;
      continue;
    }
    const auto* known = find_setting(path);
    if (known == nullptr) {
      const auto similar = similar_setting(path);
      return at_line(name, where,
                     "unknown setting " + troupe::quoted(path)
                         + (similar.empty()
                                ? std::string("; troupe serve --print-config lists them all")
                                : "; did you mean " + troupe::quoted(similar) + "?"));
    }
    const auto value = value_of(node);
    if (!value)
      return at_line(name, where,
                     troupe::quoted(path)
                         + " must be a string, a number, true or false, a list of strings, or "
                           "tables of these");
    if (auto done = known->set(to, *value); !done)
      return at_line(name, where, troupe::quoted(path) + " " + done.error().message);
  }
  return {};
}

/// Members of targets that are numbers.
bool is_count(std::string_view member) {
  return member == "max-open" || member == "max-rate";
}

result<target_row> row_of(const toml::node& node, const std::string& name) {
  target_row out;
  out.line = node.source().begin.line;
  const auto* table = node.as_table();
  if (table == nullptr)
    return at_line(name, node.source(), "\"targets\" must be tables: [[targets]]");
  for (const auto& [key, value] : *table) {
    const std::string member(key.str());
    if (const auto* text = value.as_string())
      out.members.emplace_back(member, text->get());
    else if (const auto* truth = value.as_boolean())
      out.members.emplace_back(member, truth->get() ? "true" : "false");
    else if (const auto* whole = value.as_integer(); whole != nullptr && is_count(member))
      out.members.emplace_back(member, std::to_string(whole->get()));
    else if (const auto* number = value.as_floating_point(); number != nullptr && is_count(member))
      out.members.emplace_back(member, std::to_string(number->get()));
    else if (const auto texts = value.is_array() ? texts_of(*value.as_array()) : std::nullopt)
      out.members.emplace_back(member, *texts);
    else
      return at_line(name, value.source(),
                     troupe::quoted(member)
                         + " must be a string, true or false, or a list of strings");
  }
  return out;
}

json::value tree_of_node(const toml::node& node) {
  if (const auto* text = node.as_string())
    return json::value(text->get());
  if (const auto* number = node.as_integer())
    return json::value(number->get());
  if (const auto* number = node.as_floating_point())
    return json::value(number->get());
  if (const auto* truth = node.as_boolean())
    return json::value(truth->get());
  if (const auto* all = node.as_array()) {
    json::array out;
    for (const auto& each : *all)
      out.push_back(tree_of_node(each));
    return out;
  }
  json::object out;
  if (const auto* table = node.as_table())
    for (const auto& [key, value] : *table)
      out[key.str()] = tree_of_node(value);
  return out; // a date is an empty object, which no member may be
}

} // namespace

result<std::optional<json::object>> read_remote_agent_table(std::string_view text,
                                                            const std::string& name) {
  serve_settings others;
  if (const auto fine = read_config(others, text, name); !fine)
    return fine.error();
  const auto whole = toml::parse(text, name);
  const auto* found = whole.get(remote_agent_table);
  if (found == nullptr)
    return std::optional<json::object>{};
  if (!found->is_table())
    return at_line(name, found->source(), "\"remote-agent\" must be a table: [remote-agent]");
  return std::optional{tree_of_node(*found).as_object()};
}

result<std::vector<target_row>> read_target_rows(std::string_view text, const std::string& name) {
  serve_settings others;
  if (const auto fine = read_config(others, text, name); !fine)
    return fine.error();
  const auto whole = toml::parse(text, name);
  std::vector<target_row> out;
  const auto* found = whole.get(targets_table);
  if (found == nullptr)
    return out;
  const auto* all = found->as_array();
  if (all == nullptr)
    return at_line(name, found->source(), "\"targets\" must be tables: [[targets]]");
  for (const auto& each : *all) {
    auto row = row_of(each, name);
    if (!row)
      return row.error();
    out.push_back(std::move(*row));
  }
  return out;
}

result<std::vector<model_row>> read_model_rows(std::string_view text, const std::string& name) {
  serve_settings others;
  if (const auto fine = read_config(others, text, name); !fine)
    return fine.error();
  const auto whole = toml::parse(text, name);
  std::vector<model_row> out;
  const auto* found = whole.get(models_table);
  if (found == nullptr)
    return out;
  const auto* all = found->as_table();
  if (all == nullptr)
    return at_line(name, found->source(), "\"models\" must be tables: [models.NAME]");
  for (const auto& [key, node] : *all) {
    const auto* table = node.as_table();
    if (table == nullptr)
      return at_line(name, node.source(), "\"models\" must be tables: [models.NAME]");
    auto& row = out.emplace_back();
    row.name = std::string(key.str());
    row.line = node.source().begin.line;
    for (const auto& [member, value] : *table) {
      auto read = value_of(value);
      if (!read)
        return at_line(name, value.source(),
                       troupe::quoted(std::string(member.str()))
                           + " must be a string, a number, true or false");
      row.members.emplace_back(std::string(member.str()), std::move(*read));
    }
  }
  return out;
}

result<other_tables> read_other_tables(std::string_view text, const std::string& name) {
  serve_settings others;
  if (const auto fine = read_config(others, text, name); !fine)
    return fine.error();
  const auto whole = toml::parse(text, name);
  other_tables out;
  const auto add = [&](const std::string& called, const toml::node& node) {
    out[called] = json::serialize(tree_of_node(node));
  };
  if (const auto* found = whole.get(remote_agent_table))
    add(std::string(remote_agent_table), *found);
  if (const auto* models = whole.get_as<toml::table>(models_table))
    for (const auto& [key, node] : *models)
      add(std::string(models_table) + "." + std::string(key.str()), node);
  if (const auto* targets = whole.get_as<toml::array>(targets_table))
    for (std::size_t i = 0; i < targets->size(); ++i) {
      const auto& node = (*targets)[i];
      const auto* members = node.as_table();
      const auto alias =
          members == nullptr ? std::nullopt : (*members)["alias"].value<std::string>();
      add(std::string(targets_table) + "." + alias.value_or(std::to_string(i + 1)), node);
    }
  return out;
}

result<config_text> read_config_file(const std::string& path) {
  if (path.empty())
    return config_text{};
  auto text = read_text(path);
  if (!text)
    return text.error();
  return config_text{std::move(*text), name_of_file(path)};
}

result<void> read_config(serve_settings& to, std::string_view text, const std::string& name) {
  // toml++ as packaged reports mistakes by exception.
  try {
    return read_table(to, toml::parse(text, name), "", name);
  } catch (const toml::parse_error& mistake) {
    return at_line(name, mistake.source(), std::string(mistake.description()));
  }
}

} // namespace troupe
