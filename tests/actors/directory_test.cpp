// Which process has an id: this one, another one, or none for a moment.
#include "actors/directory.hpp"
#include "actors/messages.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace troupe;

namespace {

using whereabouts_of_task = whereabouts<task_handle>;

std::string text_of(const whereabouts_of_task& found) {
  if (std::holds_alternative<here<task_handle>>(found))
    return "here";
  if (const auto* other = std::get_if<there>(&found))
    return other->address;
  return "being moved";
}

} // namespace

TEST_CASE("an id that was never moved is here", "[actors][owner]") {
  const directory<task_handle> all;
  CHECK(text_of(all.locate("t")) == "here");
  CHECK_FALSE(all.find("t"));
}

TEST_CASE("an id that was moved away is there, until it comes back", "[actors][owner]") {
  directory<task_handle> all;
  all.begin_move("t");
  CHECK(text_of(all.locate("t")) == "being moved");
  CHECK(text_of(all.locate("u")) == "here");
  all.end_move("t", "10.0.0.2:8080");
  CHECK(text_of(all.locate("t")) == "10.0.0.2:8080");
  all.begin_move("t");
  all.end_move("t", "");
  CHECK(text_of(all.locate("t")) == "here");
}

TEST_CASE("a look-up of a moving id waits and returns its new place", "[actors][owner]") {
  directory<task_handle> all;
  std::vector<std::string> told;
  const auto note = [&](const whereabouts_of_task& found) { told.push_back(text_of(found)); };
  all.wait("t", timestamp::max(), note);
  CHECK(told == std::vector<std::string>{"here"});
  all.begin_move("t");
  all.wait("t", timestamp::max(), note);
  all.wait("t", timestamp::max(), note);
  CHECK(told.size() == 1);
  all.end_move("t", "there:1");
  CHECK(told == std::vector<std::string>{"here", "there:1", "there:1"});
}

TEST_CASE("waiting for a move is bounded in time and in number", "[actors][owner]") {
  directory<task_handle> all;
  all.begin_move("t");
  std::vector<std::string> told;
  const auto note = [&](const whereabouts_of_task& found) { told.push_back(text_of(found)); };
  const timestamp start{};
  all.wait("t", start + std::chrono::seconds{5}, note);
  all.expire(start + std::chrono::seconds{4});
  CHECK(told.empty());
  all.expire(start + std::chrono::seconds{5});
  CHECK(told == std::vector<std::string>{"being moved"});
  told.clear();
  for (std::size_t i = 0; i < move_waits_max; ++i)
    all.wait("t", timestamp::max(), note);
  CHECK(told.empty());
  all.wait("t", timestamp::max(), note);
  CHECK(told == std::vector<std::string>{"being moved"});
  all.end_move("t", "");
  CHECK(told.size() == 1 + move_waits_max);
}
