#include "client/models/day_file.hpp"

#include "client/replace_file.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace troupe::models {

namespace json = boost::json;

namespace {

/// A negative or missing number is none.
std::int64_t number_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_int64() ? std::max<std::int64_t>(found->get_int64(), 0) : 0;
}

spending spending_in(const json::object& from) {
  return {static_cast<std::uint64_t>(number_in(from, "tokens")), number_in(from, "cost"),
          std::chrono::milliseconds{number_in(from, "ms")}};
}

void write_spending(json::object& to, const spending& spent) {
  to["tokens"] = static_cast<std::int64_t>(spent.tokens);
  to["cost"] = spent.cost;
  to["ms"] = spent.time.count();
}

} // namespace

result<day_entries> read_day_file(const std::string& path) {
  std::error_code missing;
  if (!std::filesystem::exists(path, missing))
    return day_entries{};
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof())
    return make_error(errc::store_failed, path + ": cannot be read");
  boost::system::error_code failed;
  const auto tree = json::parse(text, failed);
  const auto* members = failed ? nullptr : tree.if_object();
  if (members == nullptr)
    return make_error(errc::invalid_document,
                      path + " does not have what was spent; remove it to begin at zero");
  day_entries out;
  for (const auto& each : *members)
    if (const auto* from = each.value().if_object()) {
      auto& entry = out[each.key()];
      entry.day = number_in(*from, "day");
      entry.spent = spending_in(*from);
      const auto* found = from->if_contains("objectives");
      if (const auto* objectives = found == nullptr ? nullptr : found->if_object())
        for (const auto& of : *objectives)
          if (const auto* spent = of.value().if_object())
            entry.objectives.emplace_back(of.key(), spending_in(*spent));
    }
  return out;
}

result<void> write_day_file(const std::string& path, const day_entries& all) {
  json::object tree;
  for (const auto& [name, entry] : all) {
    json::object to{{"day", entry.day}};
    write_spending(to, entry.spent);
    if (!entry.objectives.empty()) {
      json::object objectives;
      for (const auto& [id, spent] : entry.objectives) {
        json::object of;
        write_spending(of, spent);
        objectives[id] = std::move(of);
      }
      to["objectives"] = std::move(objectives);
    }
    tree[name] = std::move(to);
  }
  if (auto written = replace_file(path, json::serialize(tree) + "\n"); !written)
    return make_error(errc::store_failed, written.error().message);
  return {};
}

} // namespace troupe::models
