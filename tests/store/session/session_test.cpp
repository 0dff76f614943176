// Sessions as a whole: written, continued, archived, read, and read after damage.
#include "store/session/session_import.hpp"
#include "store/session/session_line.hpp"
#include "tests/store/ordinary_user.hpp"
#include "tests/store/session/session_bed.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

#include <sys/stat.h>

using namespace troupe;
using namespace troupe::sessions;
using namespace troupe::testing;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// The states after each change, as clients see them; before the first: nothing.
std::vector<std::string> documents_of(const std::vector<change>& changes) {
  std::vector<std::string> out{""};
  session_state state;
  for (const auto& news : changes) {
    taken(state.take(news));
    out.push_back(document_of(*state.view()));
  }
  return out;
}

std::string document_in(const session_reading& reading) {
  return reading.state.view() != nullptr ? document_of(*reading.state.view()) : std::string{};
}

} // namespace

TEST_CASE("X4_state: a session leads to its objective, its plans and its tasks",
          "[store][session]") {
  trip_life life;
  const auto bytes = trip_bytes(life);
  const auto reading = taken(read_session(bytes));
  const auto expected = state_of(life.changes);
  REQUIRE(reading.state.view() != nullptr);
  CHECK(document_in(reading) == document_of(*expected.view()));
  REQUIRE(reading.state.tasks().size() == 3);
  for (const auto& [id, record] : reading.state.tasks()) {
    CAPTURE(id);
    CHECK(document_of(*record) == document_of(*expected.tasks().at(id)));
  }
  CHECK(reading.state.tasks().at("task-root")->status.state == task_state::working);
  CHECK_FALSE(reading.state.is_over());
  CHECK_FALSE(reading.is_archived);
}

TEST_CASE("X5_append: every change is one more line, in order, and nothing before it changes",
          "[store][session]") {
  trip_life life;
  life.fail();
  const temporary_directory place;
  std::string before;
  std::vector<change> told;
  for (const auto& news : life.changes) {
    if (told.size() == life.changes.size() - 1)
      break; // The last one ends the session.
    told.push_back(news);
    const auto entry = write_session(place / ".", told);
    CHECK(entry.file == "a2a_obj_trip.jsonl");
    CHECK(entry.updated == news.at);
    const auto now = session_bytes(place / entry.file);
    CHECK(now.starts_with(before));
    const auto lines = lines_in(now);
    REQUIRE(lines.size() == told.size() + 1);
    const auto line = json::parse(lines.back());
    CHECK(line.at("type") == "custom");
    CHECK(line.at("customType") == "a2a-opt/v1");
    CHECK(line.at_pointer("/data/seq") == told.size());
    const auto& parent = line.at("parentId");
    CHECK((told.size() == 1 ? parent.is_null()
                            : parent == json::parse(lines[lines.size() - 2]).at("id")));
    const bool is_root = !news.task.id.empty() && news.task.lone;
    CHECK(line.at_pointer(is_root ? "/data/event/task" : "/data/event/objective")
          == json::value(is_root ? "task-root" : "trip"));
    CHECK(line.at_pointer("/data/event/sequence") == news.sequence);
    before = now;
  }
  struct stat facts {};
  REQUIRE(::stat((place / "a2a_obj_trip.jsonl").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  // The same once more adds nothing.
  write_session(place / ".", told);
  CHECK(session_bytes(place / "a2a_obj_trip.jsonl") == before);
}

TEST_CASE("X7_archive: the session of an objective that is over ends and gets another name",
          "[store][session]") {
  trip_life life;
  life.fail();
  const temporary_directory place;
  const auto entry = write_session(place / ".", life.changes);
  CHECK(entry.file == "a2a_obj_trip.jsonl.archived.1970-01-01T00-00-01.008Z");
  CHECK(archive_time_of(entry.file, "a2a_obj_trip.jsonl") == at_ms(1008));
  CHECK(session_names_in(place / ".") == std::vector<std::string>{entry.file});
  const auto bytes = session_bytes(place / entry.file);
  const auto last = json::parse(lines_in(bytes).back());
  CHECK(last.at_pointer("/data/event")
        == json::parse(R"({"objective":"trip","archived":"failed"})"));
  const auto reading = taken(read_session(bytes));
  CHECK(reading.is_archived);
  CHECK(reading.state.is_over());
  CHECK(document_in(reading) == document_of(*state_of(life.changes).view()));

  // Once more: nothing happens.
  CHECK(write_session(place / ".", life.changes).file == entry.file);
  CHECK(session_bytes(place / entry.file) == bytes);

  // A retry begins a new file, with all that was before.
  life.retry();
  const auto next = write_session(place / ".", life.changes);
  CHECK(next.file == "a2a_obj_trip.jsonl");
  CHECK(next.session_id != entry.session_id);
  CHECK(session_bytes(place / entry.file) == bytes);
  const auto lines = lines_in(session_bytes(place / next.file));
  REQUIRE(lines.size() == 3);
  CHECK(json::parse(lines[0]).at("parentSession") == json::value(entry.file));
  CHECK(json::parse(lines[1]).at_pointer("/data/event").as_object().contains("snapshot"));
  const auto alone = taken(read_session(session_bytes(place / next.file)));
  const auto expected = state_of(life.changes);
  CHECK(document_in(alone) == document_of(*expected.view()));
  for (const auto& [id, record] : expected.tasks())
    CHECK(document_of(*alone.state.tasks().at(id)) == document_of(*record));
}

TEST_CASE("X7_archive: a writer that was interrupted at its end, or at its beginning, goes on",
          "[store][session]") {
  trip_life life;
  life.fail();
  const temporary_directory place;
  const auto entry = write_session(place / ".", life.changes);
  const auto whole = session_bytes(place / entry.file);
  fs::rename(place / entry.file, place / "a2a_obj_trip.jsonl"); // It was not renamed any more.
  CHECK(write_session(place / ".", life.changes).file == entry.file);
  CHECK(session_bytes(place / entry.file) == whole);

  // Around each end of a line of the file, and of the one that continues it, and in between.
  const auto write_again_from = [&](const std::string& name, const std::string& bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto end = bytes.find('\n', size < 2 ? 0 : size - 2);
      if (size % 101 != 0 && (end == std::string::npos || end > size + 1))
        continue; // Each one is synced to the disk several times.
      CAPTURE(name, size);
      place.file("a2a_obj_trip.jsonl", std::string_view{bytes}.substr(0, size));
      const auto again = write_session(place / ".", life.changes);
      if (again.file != name || session_bytes(place / again.file) != bytes)
        FAIL_CHECK("another file");
      fs::remove(place / again.file);
    }
  };
  fs::remove(place / entry.file);
  write_again_from(entry.file, whole);
  write_session(place / ".", life.changes);
  life.retry();
  const auto next = write_session(place / ".", life.changes);
  const auto bytes = session_bytes(place / next.file);
  fs::remove(place / next.file);
  write_again_from(next.file, bytes);
}

TEST_CASE("X8_torn: a file that is cut at any byte leads to its last whole line, and says so",
          "[store][session]") {
  trip_life life;
  life.fail();
  const auto bytes = trip_bytes(life);
  const auto documents = documents_of(life.changes);
  std::size_t lines = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    CAPTURE(size);
    const auto reading = read_session(std::string_view{bytes}.substr(0, size));
    // A line whose last brace is there is whole, with its end or without it.
    lines += size < bytes.size() && bytes[size] == '\n' ? 1 : 0;
    if (lines == 0) {
      CHECK(reading.has_error());
      continue;
    }
    REQUIRE(reading.has_value());
    const auto changes = std::min(lines - 1, life.changes.size());
    if (document_in(*reading) != documents[changes])
      FAIL_CHECK("another state");
    const bool is_cut =
        size > 0 && size < bytes.size() && bytes[size] != '\n' && bytes[size - 1] != '\n';
    CHECK(reading->cut.has_value() == is_cut);
    if (is_cut) {
      CHECK(reading->cut->line == lines + 1);
      CHECK(reading->cut->bytes == size - reading->bytes);
      CHECK_FALSE(reading->cut->problem.empty());
    }
  }
  CHECK(lines == life.changes.size() + 2);
}

TEST_CASE("X8_torn: a changed byte is found, with the number of its line", "[store][session]") {
  trip_life life;
  const auto bytes = trip_bytes(life);
  const auto documents = documents_of(life.changes);
  const auto last_line = bytes.rfind('\n', bytes.size() - 2) + 1;
  std::uint64_t line = 1;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x20, 0xff}) {
      auto other = bytes;
      other[at] = static_cast<char>(static_cast<unsigned char>(other[at]) ^ flip);
      CAPTURE(at, flip, line);
      const auto reading = read_session(other);
      if (reading) {
        // It says nothing that was not so: it is cut, or the byte does not matter (`cwd`).
        const auto document = document_in(*reading);
        const bool is_whole = !reading->cut && document == documents.back();
        const bool is_cut = reading->cut && at + 1 >= last_line
                            && std::ranges::find(documents, document) != documents.end();
        if (!is_cut && !(is_whole && (line == 1 || bytes[at] == '\n')))
          FAIL_CHECK("taken");
      } else if (line > 1
                 && reading.error().message.find("line " + std::to_string(line) + ": ")
                        == std::string::npos) {
        FAIL_CHECK(reading.error().message);
      }
    }
    line += bytes[at] == '\n' ? 1 : 0;
  }
}

TEST_CASE("X8_torn: a missing or a doubled line is refused with its number", "[store][session]") {
  trip_life life;
  const auto lines = lines_in(trip_bytes(life));
  const auto joined = [](const std::vector<std::string>& all) {
    std::string out;
    for (const auto& each : all)
      out += each + "\n";
    return out;
  };
  for (std::size_t at = 1; at + 1 < lines.size(); ++at) {
    CAPTURE(at);
    auto fewer = lines;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
    const auto number = "line " + std::to_string(at + 1) + ": ";
    auto refused = read_session(joined(fewer));
    REQUIRE(refused.has_error());
    CHECK(refused.error().message.starts_with(number));
    auto more = lines;
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
    refused = read_session(joined(more));
    REQUIRE(refused.has_error());
    CHECK(refused.error().message.starts_with("line " + std::to_string(at + 2) + ": "));
    CHECK_THAT(refused.error().message, ContainsSubstring("stands above already"));
    auto turned = lines;
    std::swap(turned[at], turned[at + 1]);
    CHECK(read_session(joined(turned)).has_error());
  }
}

TEST_CASE("a whole line that says what cannot be is named, and reading goes on",
          "[store][session]") {
  const auto faults_of = [](const std::vector<change>& changes) {
    const temporary_directory place;
    const auto entry = write_session(place / ".", changes);
    const auto reading = taken(read_session_file(place / entry.file));
    CHECK(reading.events >= changes.size());
    std::string out;
    for (const auto& each : reading.faults)
      out += std::to_string(each.line) + " " + each.problem + "|";
    return out;
  };
  trip_life life;
  CHECK(faults_of(life.changes).empty());
  auto& last = life.changes.back(); // line 8: the second task begins
  const auto with = [&](event wrong) {
    auto changes = life.changes;
    change next = about("trip", 1006);
    next.events.push_back(std::move(wrong));
    next.sequence = last.sequence + 1;
    changes.push_back(std::move(next));
    return faults_of(changes);
  };
  CHECK(with(plan_moved{3, plan_event::fail, ""}) == "9 there is no plan 3, only 1|");
  CHECK(with(plan_moved{0, plan_event::retry, ""})
        == "9 plan 0 is working and cannot become pending|");
  CHECK(with(objective_moved{objective_event::reopen, ""})
        == "9 an objective that is working cannot become submitted|");
  CHECK(with(tasks_withdrawn{0, {7}, task_state::canceled, ""})
        == "9 plan 0 has no task 7, only 2|");
  CHECK(with(plan_changed{0, {add_task{}, skip_task<std::uint32_t>{2}}, "", "", 1}).empty());
  CHECK(with(plan_changed{0, {skip_task<std::uint32_t>{2}}, "", "", 1})
        == "9 plan 0 has no task 2, only 2|");
  CHECK(with(plan_changed{0, {}, "", "", 5}) == "9 revision 5 follows revision 0|");
  last.events.erase(last.events.begin());
  CHECK(faults_of(life.changes) == "8 task trip.p0.t1 was not created|");
}

TEST_CASE("X8_torn: lines of other programs are skipped, and kept when the session goes on",
          "[store][session]") {
  trip_life life;
  const temporary_directory place;
  const std::vector<change> first(life.changes.begin(), life.changes.begin() + 3);
  const auto entry = write_session(place / ".", first);
  const auto others = std::string{R"({"type":"message","id":"b1bf6a1d","message":{"n":1.0}})"}
                      + "\n\n  \n" + R"({"type":"label","id":"c0ffee00"})"; // No line end.
  auto bytes = session_bytes(place / entry.file) + others;
  place.file(entry.file, bytes);
  CHECK(taken(read_session(bytes)).foreign == 4);
  write_session(place / ".", life.changes);
  const auto after = session_bytes(place / entry.file);
  CHECK(after.starts_with(bytes + "\n"));
  CHECK(json::parse(lines_in(after)[8]).at("parentId") == "c0ffee00");
  const auto reading = taken(read_session(after));
  CHECK(reading.events == life.changes.size());
  CHECK(document_in(reading) == document_of(*state_of(life.changes).view()));

  // Line ends of other systems, and zeros where a disk had not written yet.
  std::string returns;
  for (const auto& line : lines_in(after))
    returns += line + "\r\n";
  CHECK(document_in(taken(read_session(returns))) == document_in(reading));
  const auto zeros = taken(read_session(after + std::string(4096, '\0')));
  REQUIRE(zeros.cut);
  CHECK(zeros.cut->bytes == 4096);
  CHECK(document_in(zeros) == document_in(reading));
  const auto long_line = taken(read_session(after + std::string(3'000'000, '[')));
  CHECK(long_line.cut.has_value());
}

TEST_CASE("X8_torn: what is no session, or cannot be read, is said", "[store][session]") {
  const temporary_directory place;
  const auto refusal = [&](const std::string& path) {
    const auto read = read_session_file(path);
    REQUIRE(read.has_error());
    return read.error().message;
  };
  CHECK_THAT(refusal(place / "nowhere"), Catch::Matchers::Contains("cannot be read"));
  CHECK_THAT(refusal(place / "."), Catch::Matchers::Contains("Is a directory"));
  CHECK_THAT(refusal(place.file("empty", "")), Catch::Matchers::Contains("it is empty"));
  CHECK_THAT(refusal(place.file("text", "years of work\n")),
             Catch::Matchers::Contains("line 1: it does not begin with the line of a session"));
  CHECK_THAT(refusal(place.file("chat", "{\"type\":\"session\",\"version\":3,\"id\":\"a\"}\n")),
             Catch::Matchers::Contains("not the session of an objective"));
  REQUIRE(::mkfifo((place / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(refusal(place / "pipe"), Catch::Matchers::Contains("is not a file"));
  trip_life life;
  const auto path = place.file("whole", trip_bytes(life));
  CHECK(read_session_file(path).has_value());
  fs::permissions(path, fs::perms::none);
  const ordinary_user user;
  CHECK_THAT(refusal(path), Catch::Matchers::Contains("Permission denied"));
}
