#include "sim/totals.hpp"

#include <iomanip>
#include <sstream>

namespace troupe::sim {

void totals::add(const outcome& of) {
  ++seeds;
  failed += of.failed ? 1U : 0U;
  calls += of.calls;
  crashes += of.crashes;
  steps += of.steps;
  virtual_seconds += std::chrono::duration<double>(of.virtual_time).count();
  hash += of.hash;
  for (const auto& [name, count] : of.situations)
    reached[name] += count;
}

std::string totals::text() const {
  std::ostringstream out;
  out << std::setprecision(17) << seeds << ' ' << failed << ' ' << calls << ' ' << crashes << ' '
      << steps << ' ' << virtual_seconds << ' ' << hash << '\n';
  for (const auto& [name, count] : reached)
    out << count << ' ' << name << '\n';
  out << "end\n";
  return out.str();
}

bool totals::add(const std::string& text) {
  if (!text.ends_with("\nend\n"))
    return false;
  totals of;
  std::istringstream in(text);
  in >> of.seeds >> of.failed >> of.calls >> of.crashes >> of.steps >> of.virtual_seconds >> of.hash
      >> std::ws;
  for (std::string line; std::getline(in, line) && line != "end";)
    of.reached[line.substr(line.find(' ') + 1)] = std::stoull(line);
  seeds += of.seeds;
  failed += of.failed;
  calls += of.calls;
  crashes += of.crashes;
  steps += of.steps;
  virtual_seconds += of.virtual_seconds;
  hash += of.hash;
  for (const auto& [name, count] : of.reached)
    reached[name] += count;
  return true;
}

std::uint64_t totals::count_of(std::string_view situation) const {
  const auto found = reached.find(situation);
  return found == reached.end() ? 0 : found->second;
}

std::vector<std::string_view> totals::missing() const {
  std::vector<std::string_view> out;
  for (const auto name : situations)
    if (count_of(name) == 0)
      out.push_back(name);
  return out;
}

} // namespace troupe::sim
