#include "bench/support/figure_lines.hpp"

#include "bench/support/harness.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <fstream>
#include <stdexcept>

namespace troupe::bench {

namespace {

std::string text_of(const boost::json::object& line, const char* key) {
  const auto* found = line.if_contains(key);
  return found ? std::string{found->as_string()} : std::string{};
}

figure_line read_line(const std::string& text) {
  const auto line = boost::json::parse(text).as_object();
  figure_line out;
  out.bench = line.at("bench").as_string();
  out.name = line.at("case").as_string();
  out.unit = line.at("unit").as_string();
  out.value = line.at("value").to_number<double>();
  if (!line.at("ratio").is_null())
    out.ratio = line.at("ratio").to_number<double>();
  out.commit = text_of(line, "commit");
  out.machine = text_of(line, "machine");
  out.date = text_of(line, "date");
  if (const auto* quick = line.if_contains("quick"))
    out.is_quick = quick->as_bool();
  return out;
}

} // namespace

std::vector<figure_line> read_figure_lines(const std::string& path) {
  std::ifstream in{path};
  check(in.is_open(), "cannot read " + path);
  std::vector<figure_line> out;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (text.empty())
      continue;
    try {
      out.push_back(read_line(text));
    } catch (const std::exception& wrong) {
      throw std::runtime_error(path + ", line " + std::to_string(number)
                               + ": not a line of a benchmark (" + wrong.what() + ")");
    }
  }
  check(!out.empty(), path + " has no figures");
  return out;
}

} // namespace troupe::bench
