#include "tests/attack/report.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdarg>
#include <cstdio>

namespace troupe::attack {

namespace {

namespace json = boost::json;

double number(const json::object& of, const char* name) {
  const auto* found = of.if_contains(name);
  return found != nullptr ? found->to_number<double>() : 0;
}

[[gnu::format(printf, 1, 2)]] std::string printed(const char* format, ...) {
  char line[512];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return line;
}

std::string figures_lines(const char* name, const json::object& said) {
  auto out = printed("%-8s %7.0f requests, p50 %7.2f ms, p99 %7.2f ms, max %8.1f ms, %.0f refused, "
                     "%.0f interrupted\n",
                     name, number(said, "requests"), number(said, "p50_ms"), number(said, "p99_ms"),
                     number(said, "max_ms"), number(said, "refused"), number(said, "interrupted"));
  if (const auto* kinds = said.if_contains("kinds"))
    for (const auto& [kind, figures] : kinds->as_object()) {
      const auto& of = figures.as_object();
      out += printed("         %7s           p50 %7.2f ms, p99 %7.2f ms, max %8.1f ms\n",
                     std::string(kind).c_str(), number(of, "p50_ms"), number(of, "p99_ms"),
                     number(of, "max_ms"));
    }
  return out;
}

double megabytes(std::size_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

} // namespace

double findings::slower() const {
  const auto quiet_p99 = number(quiet, "p99_ms");
  return quiet_p99 > 0 ? number(under_attack, "p99_ms") / quiet_p99 : 0;
}

double findings::memory_growth() const {
  return resident_before > 0
             ? static_cast<double>(resident_after) / static_cast<double>(resident_before)
             : 0;
}

std::vector<std::string> findings::problems(bool strict) const {
  std::vector<std::string> out;
  for (const auto& each : deaths)
    out.push_back("the server died: " + each);
  if (const auto* said = under_attack.if_contains("problems"))
    for (const auto& each : said->as_array())
      out.push_back("honest client: " + std::string(each.as_string()));
  if (const auto* kinds = attackers.if_contains("kinds"))
    for (const auto& kind : kinds->as_array())
      for (const auto& fault : kind.at("faults").as_array())
        out.push_back(std::string(kind.at("name").as_string()) + ": "
                      + std::string(fault.as_string()));
  if (strays > 0)
    out.push_back(printed("%zu programs have outlived the server", strays));
  if (number(under_attack, "requests") == 0)
    out.emplace_back("the honest client was never answered");
  if (strict && slower() >= slower_max)
    out.push_back(
        printed("p99 is %.1f x that of a quiet server, not below %.0f x", slower(), slower_max));
  if (strict && memory_growth() > memory_growth_max)
    out.push_back(printed("memory after the attack is %.2f x that before, above %.1f x",
                          memory_growth(), memory_growth_max));
  return out;
}

std::string as_text(const findings& all, bool strict) {
  auto out =
      printed("seed %llu, %zu s, address space %.0f MB\n",
              static_cast<unsigned long long>(all.seed), all.seconds, megabytes(all.address_space));
  out += figures_lines("quiet", all.quiet) + figures_lines("attack", all.under_attack);
  out += printed("         p99 is %.1f x that of the quiet server\n", all.slower());
  out += printed("kills    %zu, started again in ms:", all.restarts.size());
  for (const auto& each : all.restarts)
    out += ' ' + std::to_string(each.count());
  out += printed("\ntasks    %.0f acknowledged, read again %.0f times\n",
                 number(all.under_attack, "acknowledged"), number(all.under_attack, "read_again"));
  out += printed("memory   before %.1f MB, after %.1f MB (%.2f x); most address space %.0f MB\n",
                 megabytes(all.resident_before), megabytes(all.resident_after), all.memory_growth(),
                 megabytes(all.reserved_max));
  if (const auto* kinds = all.attackers.if_contains("kinds"))
    for (const auto& kind : kinds->as_array()) {
      const auto& done = kind.as_object();
      out += printed("  %-28s %8.0f connections %8.0f answers, %8.0f of them errors\n",
                     done.at("name").as_string().c_str(), number(done, "connections"),
                     number(done, "answers"), number(done, "refusals"));
    }
  const auto problems = all.problems(strict);
  out += printed("%zu problems\n", problems.size());
  for (const auto& each : problems)
    out += "  " + each + '\n';
  return out;
}

std::string as_json(const findings& all, bool strict) {
  json::array restarts;
  for (const auto& each : all.restarts)
    restarts.emplace_back(each.count());
  json::array problems;
  for (const auto& each : all.problems(strict))
    problems.emplace_back(each);
  return json::serialize(json::object{{"seed", all.seed},
                                      {"seconds", all.seconds},
                                      {"addressSpace", all.address_space},
                                      {"quiet", all.quiet},
                                      {"attack", all.under_attack},
                                      {"slower", all.slower()},
                                      {"restartsMs", std::move(restarts)},
                                      {"residentBefore", all.resident_before},
                                      {"residentAfter", all.resident_after},
                                      {"memoryGrowth", all.memory_growth()},
                                      {"reservedMax", all.reserved_max},
                                      {"programsLeft", all.strays},
                                      {"attackers", all.attackers},
                                      {"problems", std::move(problems)}})
         + '\n';
}

} // namespace troupe::attack
