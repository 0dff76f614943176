#include "apps/memory_given.hpp"
#include "tests/support/catch.hpp"

#include <limits>
#include <map>

using namespace troupe;

namespace {

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();
using files = std::map<std::string, std::string>;

std::uint64_t given(const files& there, std::uint64_t limits = no_limit) {
  return memory_given(
      [&](const std::string& path) -> std::optional<std::string> {
        const auto found = there.find(path);
        return found == there.end() ? std::nullopt : std::optional{found->second};
      },
      limits);
}

const std::string meminfo = "MemTotal:        2097152 kB\nMemFree:  12 kB\n";

} // namespace

TEST_CASE("without other limits the memory of the machine is given", "[apps][memory]") {
  CHECK(given({{"/proc/meminfo", meminfo}}) == std::uint64_t{2} << 30);
  CHECK(given({}) == no_limit);
  CHECK(given({{"/proc/meminfo", "MemTotal:\n"}}) == no_limit);
}

TEST_CASE("a limit of the process counts if it is less", "[apps][memory]") {
  CHECK(given({{"/proc/meminfo", meminfo}}, 1 << 20) == 1 << 20);
  CHECK(given({{"/proc/meminfo", meminfo}}, std::uint64_t{4} << 30) == std::uint64_t{2} << 30);
}

TEST_CASE("the least of a control group and of those around it is given", "[apps][memory]") {
  const files there{{"/proc/meminfo", meminfo},
                    {"/proc/self/cgroup", "0::/a.slice/b.service\n"},
                    {"/sys/fs/cgroup/a.slice/b.service/memory.max", "max\n"},
                    {"/sys/fs/cgroup/a.slice/memory.max", "1000000\n"},
                    {"/sys/fs/cgroup/memory.max", "2000000\n"}};
  CHECK(given(there) == 1'000'000);
}

TEST_CASE("in a container the limit of the root is found", "[apps][memory]") {
  CHECK(given({{"/proc/self/cgroup", "0::/docker/4711\n"},
               {"/sys/fs/cgroup/memory.max", "3000000\n"}})
        == 3'000'000);
  CHECK(given({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "3000000\n"}})
        == 3'000'000);
}

TEST_CASE("control groups of version 1 are read, too", "[apps][memory]") {
  const files there{
      {"/proc/self/cgroup", "12:cpu,cpuacct:/x\n11:hugetlb,memory:/jobs/one\n1:name=systemd:/y\n"},
      {"/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "9223372036854771712\n"},
      {"/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "5000000\n"},
      {"/sys/fs/cgroup/memory.max", "1\n"}};
  CHECK(given(there) == 5'000'000);
}

TEST_CASE("the default of limits.memory is a part of what is given", "[apps][memory]") {
  CHECK(memory_limit(123, 1000) == 123);
  CHECK(memory_limit(0, 1000) == 600);
  CHECK(memory_limit(0, no_limit) == no_limit);
}
