#include "tests/fuzz/fuzz_target.hpp"

#include <boost/json/parse.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>

namespace troupe::fuzz {

namespace json = boost::json;

namespace {

constexpr std::size_t server_depth_max = 100; // include/troupe/net/limits.hpp: json_depth_max.

std::optional<json::value> parse(std::string_view text, std::size_t depth_max,
                                 bool any_bytes = false) {
  json::parse_options options;
  options.max_depth = depth_max;
  options.allow_invalid_utf8 = any_bytes; // As the store's rows are read.
  boost::system::error_code problem;
  auto tree = json::parse({text.data(), text.size()}, problem, {}, options);
  return problem ? std::nullopt : std::optional{std::move(tree)};
}

void shorten_fractions(json::value& tree) {
  if (auto* members = tree.if_object()) {
    for (auto& member : *members)
      shorten_fractions(member.value());
  } else if (auto* items = tree.if_array()) {
    for (auto& item : *items)
      shorten_fractions(item);
  } else if (auto* number = tree.if_double()) {
    const auto size = std::abs(*number);
    if (size > 1e5)
      *number = 0.5;
    else
      *number = std::round(*number * 64) / 64;
  }
}

} // namespace

void demand(bool holds, std::string_view text, std::string_view first, std::string_view second) {
  if (holds)
    return;
  std::cerr << text << '\n' << first << '\n' << second << '\n' << std::flush;
  std::abort();
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) noexcept {
  return {reinterpret_cast<const char*>(data), size};
}

std::optional<json::value> tree_from(std::string_view text) {
  return parse(text, server_depth_max) ? std::optional{tree_of(with_short_fractions(text))}
                                       : std::nullopt;
}

std::string with_short_fractions(std::string_view text) {
  auto tree = parse(text, 2 * server_depth_max, true);
  if (!tree)
    return std::string{text};
  shorten_fractions(*tree);
  return written([&](json_writer& out) { out.value(*tree); });
}

json::value tree_of(std::string_view written) {
  auto tree = parse(written, 2 * server_depth_max);
  demand(tree.has_value(), "what was written is no JSON", written);
  return std::move(*tree);
}

} // namespace troupe::fuzz
