// A client's place in the line of reads, when other clients' turns have answered its reads.
#include "store/archive_reader.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace troupe;

TEST_CASE("Reads that another client's turn has answered count in their client's line until its "
          "own turn",
          "[store][reads]") {
  archive_reader reader{{.reads_per_client_max = 2}};
  std::vector<std::string> refused;
  const auto ask = [&](const std::string& key, const std::string& client, std::size_t bytes = 1) {
    reader.read<int>(
        key, client,
        [bytes] {
          return archive_reader::loaded<int>{1, bytes};
        },
        [&refused, key, client](const result<int>& found) {
          if (!found)
            refused.push_back(client + ":" + key + " " + found.error().field);
        });
  };
  // "late" has read so much that its turn comes last.
  ask("large", "late", 1'000 * archive_turn_bytes);
  REQUIRE(reader.turn());
  for (const auto* key : {"1", "2", "3"}) {
    ask(key, "early");
    ask(key, "late");
    REQUIRE(reader.turn());
  }
  CHECK(refused == std::vector<std::string>{"late:3 archive_reads_per_client_max"});
  // Its own turn comes, and finds nothing left to do.
  while (reader.turn()) {
  }
  ask("4", "late");
  CHECK(refused.size() == 1);
}
