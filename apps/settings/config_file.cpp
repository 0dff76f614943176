#include "apps/settings/config_file.hpp"

#include <toml++/toml.h>

#include <optional>
#include <utility>

namespace troupe {

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
                     "unknown setting \"" + path + "\""
                         + (similar.empty()
                                ? std::string("; troupe serve --print-config lists them all")
                                : "; did you mean \"" + std::string(similar) + "\"?"));
    }
    const auto value = value_of(node);
    if (!value)
      return at_line(name, where,
                     "\"" + path
                         + "\" must be a string, a number, true or false, a list of strings, or "
                           "tables of these");
    if (auto done = known->set(to, *value); !done)
      return at_line(name, where, "\"" + path + "\" " + done.error().message);
  }
  return {};
}

} // namespace

result<void> read_config(serve_settings& to, std::string_view text, const std::string& name) {
  // toml++ as packaged reports mistakes by exception.
  try {
    return read_table(to, toml::parse(text, name), "", name);
  } catch (const toml::parse_error& mistake) {
    return at_line(name, mistake.source(), std::string(mistake.description()));
  }
}

} // namespace troupe
