// The handles of remote tasks: section I of the contract.
#include "client/remote_agent/handles.hpp"
#include "tests/client/remote_agent/contract.hpp"

#include <regex>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;
using remote_agent::handle_target;
using remote_agent::handles;

namespace {

constexpr timestamp start{std::chrono::hours{24 * 365 * 50}};
const handle_target there{"support", "https://support.example/", "/c", {"JSONRPC"}};

} // namespace

TEST_CASE("remote-agent line 117: a handle is rah_ and a UUID of version 4",
          "[client][remote-agent]") {
  const std::regex form("rah_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  CHECK(std::regex_match(remote_agent::handle_of(0, 0), form));
  CHECK(std::regex_match(remote_agent::handle_of(~0ULL, ~0ULL), form));
  CHECK(remote_agent::handle_of(0x0a3ff8c24a6d58cbULL, 0xe57d4ae6f3c589d0ULL)
        == "rah_0a3ff8c2-4a6d-48cb-a57d-4ae6f3c589d0");
}

TEST_CASE("remote-agent line 119: the time of a handle begins anew with each use",
          "[client][remote-agent]") {
  handles all(1h, 10);
  all.keep(there, "t", "c", start, "rah_1");
  CHECK(handles::has_expired(*all.find("rah_1"), start + 1h));
  all.keep(there, "t", "c", start + 30min, "rah_2");
  CHECK_FALSE(handles::has_expired(*all.find("rah_1"), start + 1h));
  CHECK(handles::has_expired(*all.find("rah_1"), start + 90min));
}

TEST_CASE("remote-agent line 120: above the limit the least recently used goes, and is unknown",
          "[client][remote-agent]") {
  handles all(1h, 2);
  all.keep(there, "t1", "", start, "rah_1");
  all.keep(there, "t2", "", start, "rah_2");
  all.keep(there, "t1", "", start, "rah_x");
  all.keep(there, "t3", "", start, "rah_3");
  CHECK(all.size() == 2);
  CHECK(all.find("rah_2") == nullptr);
  CHECK(all.find("rah_1") != nullptr);
  CHECK(all.find("rah_3") != nullptr);
}

TEST_CASE("remote-agent line 121: handles can be kept, and are found again",
          "[client][remote-agent]") {
  handles one(1h, 10);
  one.keep(there, "t1", "c1", start, "rah_1");
  handles other(1h, 10);
  other.keep(there, "t2", "", start + 1s, "rah_2");
  other.merge(one.to_json());
  REQUIRE(other.find("rah_1") != nullptr);
  const auto& entry = *other.find("rah_1");
  CHECK(entry.to == there);
  CHECK(entry.task_id == "t1");
  CHECK(entry.context_id == "c1");
  CHECK(entry.expires == start + 1h);
  // What was used later counts, wherever that was.
  one.keep(there, "t1", "", start + 10s, "rah_x");
  other.merge(one.to_json());
  CHECK(other.find("rah_1")->expires == start + 1h + 10s);
  CHECK(other.size() == 2);
  // The order of use, too: the other one goes first.
  handles small(1h, 1);
  small.merge(other.to_json());
  CHECK(small.find("rah_1") != nullptr);
  for (const auto* damaged : {"[]", "{}", R"({"entries":[1,{"handle":"rah_3"}]})"})
    small.merge(tree(damaged));
  CHECK(small.size() == 1);
}

TEST_CASE("remote-agent line 122: a task has one handle, however often it is asked for",
          "[client][remote-agent]") {
  handles all(1h, 10);
  CHECK(all.keep(there, "t", "c", start, "rah_1").handle == "rah_1");
  CHECK(all.keep(there, "t", "", start, "rah_2").handle == "rah_1");
  CHECK(all.find("rah_1")->context_id == "c");
  CHECK(all.size() == 1);
  auto else_where = there;
  else_where.target_url = "https://else.example/";
  CHECK(all.keep(else_where, "t", "c", start, "rah_3").handle == "rah_3");
  // The same server, asked as another user: its task of that id is another one.
  auto other_user = there;
  other_user.alias = "other";
  CHECK(all.keep(other_user, "t", "c", start, "rah_4").handle == "rah_4");
  CHECK(all.find("rah_1")->to.alias == there.alias);
  handles read(1h, 10);
  read.merge(all.to_json());
  CHECK(read.size() == 3);
}
