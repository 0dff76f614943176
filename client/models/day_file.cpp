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

namespace troupe::models {

namespace json = boost::json;

namespace {

/// A negative or missing number is none.
std::int64_t number_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_int64() ? std::max<std::int64_t>(found->get_int64(), 0) : 0;
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
                      path + " does not have what was spent today; remove it to begin at zero");
  day_entries out;
  for (const auto& each : *members)
    if (const auto* from = each.value().if_object())
      out[each.key()] = {number_in(*from, "day"),
                         {static_cast<std::uint64_t>(number_in(*from, "tokens")),
                          number_in(*from, "cost"),
                          std::chrono::milliseconds{number_in(*from, "ms")}}};
  return out;
}

result<void> write_day_file(const std::string& path, const day_entries& all) {
  json::object tree;
  for (const auto& [name, entry] : all)
    tree[name] = json::object{{"day", entry.day},
                              {"tokens", static_cast<std::int64_t>(entry.spent.tokens)},
                              {"cost", entry.spent.cost},
                              {"ms", entry.spent.time.count()}};
  if (auto written = replace_file(path, json::serialize(tree) + "\n"); !written)
    return make_error(errc::store_failed, written.error().message);
  return {};
}

} // namespace troupe::models
