// Reads that wait for the disk: whose turn it is, what is read once, what is refused, and what is
// kept.
#include "protocol/fair_queue.hpp"
#include "store/archive_reader.hpp"
#include "store/record_cache.hpp"
#include "tests/support/catch.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace troupe;

namespace {

using text_ptr = std::shared_ptr<const std::string>;

/// A reader whose turns the test takes, and what was read and answered, in order.
struct bench {
  explicit bench(const reader_limits& limits = {}) : reader(limits, [this] { return held; }) {}

  void ask(const std::string& key, const std::string& client, std::size_t bytes = 1) {
    reader.read<int>(
        key, client,
        [this, key, client, bytes] {
          loads.push_back(client + ":" + key);
          return archive_reader::loaded<int>{1, bytes};
        },
        [this, key, client](const result<int>& found) {
          answers.push_back(client + ":" + key + (found ? "" : " " + found.error().field));
        });
  }
  void take_turns() {
    while (reader.turn()) {
    }
  }

  std::size_t held = 0;
  std::vector<std::string> loads;
  std::vector<std::string> answers;
  archive_reader reader;
};

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("Clients that read take turns, however many reads one has waiting", "[store][reads]") {
  bench on;
  for (const auto* each : {"1", "2", "3", "4"})
    on.ask(each, "a");
  on.ask("5", "b");
  on.ask("6", "b");
  on.take_turns();
  CHECK(on.loads == texts{"a:1", "b:5", "a:2", "b:6", "a:3", "a:4"});
}

TEST_CASE("A client that reads large records waits while others read as many bytes",
          "[store][reads]") {
  bench on;
  on.ask("large", "a", 4 * archive_turn_bytes);
  on.ask("another", "a");
  for (const auto* each : {"1", "2", "3", "4", "5", "6"})
    on.ask(each, "b");
  on.take_turns();
  CHECK(on.loads == texts{"a:large", "b:1", "b:2", "b:3", "b:4", "b:5", "a:another", "b:6"});
}

TEST_CASE("A client that waited for nothing saves nothing up", "[store][reads]") {
  bench on;
  for (const auto* each : {"1", "2", "3", "4"})
    on.ask(each, "a");
  for (int i = 0; i < 3; ++i)
    REQUIRE(on.reader.turn());
  on.ask("5", "b");
  on.ask("6", "b");
  on.ask("7", "b");
  on.ask("8", "a");
  on.take_turns();
  CHECK(on.loads == texts{"a:1", "a:2", "a:3", "b:5", "a:4", "b:6", "a:8", "b:7"});
}

TEST_CASE("Equal reads that wait are done once, in the turn that comes first", "[store][reads]") {
  bench on;
  for (const auto* each : {"1", "2", "same"})
    on.ask(each, "a");
  on.ask("same", "a");
  on.ask("same", "b");
  on.ask("3", "b");
  CHECK(on.reader.counters().waiting == 4);
  on.take_turns();
  CHECK(on.loads == texts{"a:1", "a:same", "a:2", "b:3"});
  CHECK(on.answers == texts{"a:1", "a:same", "a:same", "b:same", "a:2", "b:3"});
  const auto counted = on.reader.counters();
  CHECK(counted.joined == 2);
  CHECK(counted.disk_reads == 4);
  CHECK(counted.waiting == 0);
}

TEST_CASE("A read that comes while its equal is being done is answered by it", "[store][reads]") {
  archive_reader reader{{}};
  int loads = 0;
  int answers = 0;
  const read_done<int> count = [&](const result<int>&) { ++answers; };
  const auto ask = [&](std::function<void()> meanwhile) {
    reader.read<int>(
        "same", "a",
        [&loads, meanwhile = std::move(meanwhile)] {
          ++loads;
          meanwhile();
          return archive_reader::loaded<int>{1, 1};
        },
        count);
  };
  ask([&] { ask([] {}); });
  while (reader.turn()) {
  }
  CHECK(loads == 1);
  CHECK(answers == 2);
}

TEST_CASE("A queue of reads that is full refuses and names its limit", "[store][reads]") {
  SECTION("of everybody") {
    bench on{{.reads_max = 2}};
    on.ask("1", "a");
    on.ask("2", "");
    on.ask("3", "b");
    on.ask("4", "");
    CHECK(on.answers == texts{"b:3 archive_reads_max", ":4 archive_reads_max"});
  }
  SECTION("of one client, joined reads included") {
    bench on{{.reads_per_client_max = 2}};
    on.ask("1", "a");
    on.ask("1", "a");
    on.ask("1", "a");
    on.ask("1", "b");
    CHECK(on.answers == texts{"a:1 archive_reads_per_client_max"});
    on.take_turns();
    on.answers.clear();
    on.ask("1", "a");
    CHECK(on.answers.empty());
  }
  SECTION("while answers wait for their readers, but not the program's own reads") {
    bench on{{.bytes_handed_out_max = 100}};
    on.held = 101;
    on.ask("1", "a");
    on.ask("2", "");
    CHECK(on.answers == texts{"a:1 archive_bytes_handed_out_max"});
    CHECK(on.reader.counters().refused == 1);
    CHECK(on.reader.counters().waiting == 1);
  }
  SECTION("as overload, which passes") {
    archive_reader reader{{.reads_max = 0}};
    errc code{};
    reader.read<int>(
        "1", "a",
        [] {
          return archive_reader::loaded<int>{1, 1};
        },
        [&](const result<int>& found) { code = found.error().code; });
    CHECK(code == errc::overloaded);
  }
}

TEST_CASE("A read is charged also to a client that was forgotten while it went on",
          "[store][reads]") {
  fair_queue<int> queue{8};
  queue.push("large", 1);
  REQUIRE(queue.next()->client == "large");
  for (int i = 0; i < 2; ++i)
    queue.push("small", 1);
  while (queue.next())
    ;
  queue.charge("large", 100);
  queue.push("large", 2);
  queue.push("small", 2);
  CHECK(queue.next()->client == "small");
}

TEST_CASE("No more clients are remembered for what they read than allowed", "[store][reads]") {
  fair_queue<int> queue{2};
  queue.push("least", 1);
  for (const auto* each : {"a", "b", "c", "d"}) {
    queue.push(each, 1);
    for (auto next = queue.next(); next; next = queue.next())
      queue.charge(next->client, 100);
  }
  CHECK(queue.clients() <= 4);
  CHECK(queue.size() == 0);
}

TEST_CASE(
    "Records that were read are kept as long as their bytes allow, the ones asked for last longest",
    "[store][reads]") {
  record_cache<std::string> cache{400}; // A quarter for each part.
  const auto keep = [&](const std::string& id, std::size_t bytes) {
    cache.begin_reading(id).keep(std::make_shared<const std::string>(id), bytes);
  };
  for (int i = 0; i < 100; ++i) {
    keep(std::to_string(i), 40);
    REQUIRE(cache.find(std::to_string(i)) != nullptr);
  }
  CHECK(cache.bytes() <= 400);
  CHECK(cache.records() <= 10);
  keep("large", 101);
  CHECK(cache.find("large") == nullptr);
}

TEST_CASE("A record that was replaced while it was read is not kept", "[store][reads]") {
  record_cache<std::string> cache{4000};
  {
    auto reading = cache.begin_reading("id");
    cache.erase("id");
    reading.keep(std::make_shared<const std::string>("old"), 1);
  }
  CHECK(cache.find("id") == nullptr);
  cache.begin_reading("id").keep(std::make_shared<const std::string>("new"), 1);
  REQUIRE(cache.find("id") != nullptr);
  CHECK(*cache.find("id") == "new");
  cache.erase("id");
  CHECK(cache.find("id") == nullptr);
  CHECK(cache.bytes() == 0);
}

TEST_CASE("A record that was read is kept, even if others were replaced meanwhile",
          "[store][reads]") {
  record_cache<std::string> cache{4000};
  auto reading = cache.begin_reading("id");
  for (int i = 0; i < 100; ++i) // In every part of the cache.
    cache.erase("other " + std::to_string(i));
  reading.keep(std::make_shared<const std::string>("record"), 1);
  CHECK(cache.find("id") != nullptr);
}

TEST_CASE("Bytes that were read count as long as they are held", "[store][reads]") {
  const auto gauge = std::make_shared<byte_gauge>();
  auto first = gauge->counted(std::string{"record"}, 10);
  const auto second = gauge->counted(std::string{"record"}, 5);
  CHECK(gauge->bytes() == 15);
  first.reset();
  CHECK(gauge->bytes() == 5);
}

TEST_CASE("Records that are kept count as the cache, and go when the process is short of memory",
          "[store][reads][memory]") {
  const auto memory = std::make_shared<memory_budget>(1000);
  const auto gauge = std::make_shared<byte_gauge>(memory);
  {
    record_cache<std::string> cache{100'000, memory};
    const auto keep = [&](const std::string& id, std::size_t bytes) {
      cache.begin_reading(id).keep(gauge->counted(std::string{id}, bytes), bytes);
    };
    keep("a", 300);
    keep("b", 300);
    CHECK(memory->held(memory_account::archive_cache) == 600);
    CHECK(memory->held(memory_account::archive_reads) == 0);
    keep("c", 300); // Above 70 %.
    CHECK(memory->held() <= 700);
    CHECK(cache.bytes() == memory->held(memory_account::archive_cache));
    keep("c", 300);
    keep("b", 300);
    CHECK(cache.records() == 2);
    const auto in_use = cache.find("b") ? cache.find("b") : cache.find("c");
    memory->force(memory_account::live_work, 200);
    cache.shrink();
    CHECK(memory->held() <= 700);
    CHECK(cache.records() <= 1);
    memory->force(memory_account::live_work, 800);
    cache.shrink();
    CHECK(cache.records() == 0);
    CHECK(memory->held(memory_account::archive_cache) == 0);
    CHECK(memory->held(memory_account::archive_reads) == (in_use ? 300 : 0));
    memory->give_back(memory_account::live_work, 1000);
    keep("d", 300);
  }
  CHECK(memory->held() == 0);
}

TEST_CASE("Reads of clients are refused when the process is short of memory, those of the program "
          "are not",
          "[store][reads][memory]") {
  const auto memory = std::make_shared<memory_budget>(1000);
  archive_reader reader{{}, nullptr, memory};
  const auto read = [&](const std::string& client) {
    result<int> out = 0;
    reader.read<int>(
        {}, client,
        [] {
          return archive_reader::loaded<int>{1, 0};
        },
        [&](const result<int>& found) { out = found; });
    while (reader.turn()) {
    }
    return out;
  };
  CHECK(read("a").value() == 1);
  memory->force(memory_account::live_work, 851);
  const auto refused = read("a");
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == errc::overloaded);
  CHECK_THAT(refused.error().message,
             ContainsSubstring("archive-reads") && ContainsSubstring("limits.memory"));
  CHECK(read("").value() == 1);
  memory->give_back(memory_account::live_work, 1);
  CHECK(read("a").value() == 1);
}

TEST_CASE("A kept record goes when nobody has asked for it for a while", "[store][reads][memory]") {
  record_cache<std::string> cache{100'000};
  const auto keep = [&](const std::string& id) {
    cache.begin_reading(id).keep(std::make_shared<const std::string>(id), 10);
  };
  keep("asked for");
  keep("forgotten");
  for (std::size_t look = 0; look <= cached_looks_max; ++look) {
    CHECK(cache.records() == 2);
    static_cast<void>(cache.find("asked for"));
    cache.shrink();
  }
  CHECK(cache.records() == 1);
  CHECK(cache.find("asked for") != nullptr);
  CHECK(cache.find("forgotten") == nullptr);
}
