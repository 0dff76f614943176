// The form of sessions: names, lines, and the index with entries of other programs.
#include "store/session/session_index.hpp"
#include "store/session/session_line.hpp"
#include "tests/store/session/session_bed.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

using namespace troupe;
using namespace troupe::sessions;
using namespace troupe::testing;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

json::value json_at(const std::string& text, const char* pointer) {
  return json::parse(text).at_pointer(pointer);
}

std::string written_event(const event_line& line) {
  std::string out;
  write_event(out, line);
  return out;
}

event_line first_event() {
  event_line out;
  out.number = 7;
  out.event = R"({"objective":"trip","sequence":1,"change":{"t":1,"e":[]}})";
  out.parent = "00000006";
  out.at = at_ms(1'700'000'000'123);
  return out;
}

} // namespace

TEST_CASE("X1_key: the index maps a key to its session, and keeps what others wrote as it is",
          "[store][session]") {
  CHECK(key_of(objective_id{"trip"}) == "agent:main:a2a:obj:trip");
  CHECK(objective_of("agent:main:a2a:obj:trip:2") == objective_id{"trip:2"});
  CHECK_FALSE(objective_of("agent:main:main"));
  CHECK_FALSE(objective_of("agent:main:a2a:obj:"));

  const index_entry entry{.key = "agent:main:a2a:obj:trip",
                          .session_id = session_id_of("agent:main:a2a:obj:trip", ""),
                          .file = "a2a_obj_trip.jsonl",
                          .started = at_ms(1000),
                          .updated = at_ms(2000),
                          .display_name = "A \"trip\""};
  const auto fresh = taken(with_entries("", {entry}));
  const auto& of_trip = json_at(fresh, "/agent:main:a2a:obj:trip");
  CHECK(of_trip.at("sessionId") == json::value(entry.session_id));
  CHECK(of_trip.at("sessionFile") == "a2a_obj_trip.jsonl");
  CHECK(of_trip.at("sessionStartedAt") == 1000);
  CHECK(of_trip.at("updatedAt") == 2000);
  CHECK(of_trip.at("displayName") == "A \"trip\"");
  CHECK(taken(with_entries(fresh, {entry})) == fresh);

  const std::string others = "{ \"agent:main:main\" : {\"sessionId\":\"x}\\\"\",  \"n\":1.0, "
                             "\"big\":123456789012345678901},"
                             "\n\"agent:main:a2a:obj:old\":{\"label\":[1,{}]}\n}\n";
  auto after = taken(with_entries(others, {entry}));
  CHECK(after.starts_with(others.substr(0, others.rfind('\n', others.size() - 2))));
  CHECK(json_at(after, "/agent:main:a2a:obj:trip/updatedAt") == 2000);
  auto later = entry;
  later.updated = at_ms(3000);
  auto old = entry;
  old.key = "agent:main:a2a:obj:old";
  after = taken(with_entries(after, {later, old}));
  CHECK(after.starts_with(others.substr(0, others.find("\"agent:main:a2a:obj:old\""))));
  CHECK(json_at(after, "/agent:main:a2a:obj:trip/updatedAt") == 3000);
  CHECK(json_at(after, "/agent:main:a2a:obj:old/label") == json::parse("[1,{}]"));
  CHECK(json_at(after, "/agent:main:a2a:obj:old/displayName") == "A \"trip\"");

  for (const auto* wrong : {"[]", "{", "x", "{}{}", "{\"a\":1,}"})
    CHECK(with_entries(wrong, {entry}).has_error());
}

TEST_CASE("X1_key: the index is replaced by a rename, and one that is no JSON stays",
          "[store][session]") {
  const temporary_directory place;
  const index_entry entry{.key = "agent:main:a2a:obj:trip",
                          .session_id = "s",
                          .file = "f",
                          .started = at_ms(1),
                          .updated = at_ms(2),
                          .display_name = "n"};
  taken(write_index(place / ".", {entry}));
  const auto read = taken(read_index(place / "."));
  REQUIRE(read.size() == 1);
  CHECK(read[0].file == "f");
  CHECK(read[0].updated == at_ms(2));
  CHECK(session_names_in(place / ".") == std::vector<std::string>{"sessions.json"});
  place.file("sessions.json", "{\"half\":");
  const auto refused = write_index(place / ".", {entry});
  REQUIRE(refused.has_error());
  CHECK_THAT(refused.error().message, Catch::Matchers::Contains("sessions.json")
                                          && Catch::Matchers::Contains("move it away"));
  CHECK(session_bytes(place / "sessions.json") == "{\"half\":");
}

TEST_CASE("X2_file: a file is named after its key, and any two ids have two names",
          "[store][session]") {
  CHECK(file_name_of(objective_id{"123"}) == "a2a_obj_123.jsonl");
  CHECK(file_name_of(objective_id{"obj-0a.B_9"}) == "a2a_obj_obj-0a.B_9.jsonl");
  CHECK(file_name_of(objective_id{"a:b c%\xC3\xA9"}) == "a2a_obj_a%3Ab%20c%25%C3%A9.jsonl");
  CHECK(file_name_of(objective_id{"a:b"}) != file_name_of(objective_id{"a_b"}));
  const std::string most(112, 'x');
  CHECK(file_name_of(objective_id{most}) == "a2a_obj_" + most + ".jsonl");
  const auto longer = file_name_of(objective_id{most + "y"});
  CHECK(longer.starts_with("a2a_obj_" + most + "-"));
  CHECK(longer.size() == 120 + 1 + 16 + 6);
  CHECK(longer != file_name_of(objective_id{most + "z"}));
  // Not cut within an escape, and never too long for a file system, with the ending of an archive.
  const auto escaped = file_name_of(objective_id{std::string(255, ' ')});
  CHECK(escaped.find("%20-") != std::string::npos);
  CHECK(archive_name_of(escaped, at_ms(0)).size() < 255);
}

TEST_CASE("X2_file: nothing is written where OpenClaw has its database", "[store][session]") {
  const temporary_directory place;
  const auto sessions = place / "agents/main/sessions";
  CHECK(refuse_live_directory(sessions).has_value());
  fs::create_directories(place / "agents/main/agent");
  place.file("agents/main/agent/openclaw-agent.sqlite", "SQLite format 3");
  fs::create_directory_symlink(place / "agents/main", place / "link");
  for (const auto& directory : {sessions, sessions + "/", place / "agents/main/agent",
                                place / "link/sessions", place / "agents/main/x/../sessions"}) {
    CAPTURE(directory);
    const auto refused = refuse_live_directory(directory);
    REQUIRE(refused.has_error());
    CHECK_THAT(refused.error().message, Catch::Matchers::Contains("agent/openclaw-agent.sqlite")
                                            && Catch::Matchers::Contains("Nothing was written"));
  }
  CHECK(refuse_live_directory(place / "elsewhere/sessions").has_value());
}

TEST_CASE(
    "X3_lines: a session begins with its own line, and each event has a number and a checksum",
    "[store][session]") {
  std::string head;
  write_head(head, {.key = "agent:main:a2a:obj:trip", .at = at_ms(1'700'000'000'123)});
  CHECK(head
        == R"({"type":"session","version":3,"id":")" + session_id_of("agent:main:a2a:obj:trip", "")
               + R"(","timestamp":"2023-11-14T22:13:20.123Z","cwd":"",)"
                 R"("key":"agent:main:a2a:obj:trip"})");
  const auto read = taken(read_head(head));
  CHECK(read.key == "agent:main:a2a:obj:trip");
  CHECK(read.at == at_ms(1'700'000'000'123));
  CHECK(read.parent.empty());

  const auto line = written_event(first_event());
  // The checksum is that of python3 -c 'import zlib,sys; print("%08x" % zlib.crc32(...))'.
  CHECK(line
        == R"({"type":"custom","customType":"a2a-opt/v1","data":{"seq":7,"crc":"c2a5341a",)"
           R"("event":{"objective":"trip","sequence":1,"change":{"t":1,"e":[]}}},)"
           R"("id":"00000007","parentId":"00000006","timestamp":"2023-11-14T22:13:20.123Z"})");
  const auto found = sessions::read_line(line);
  REQUIRE(std::holds_alternative<event_line>(found));
  CHECK(std::get<event_line>(found).number == 7);
  CHECK(std::get<event_line>(found).event == first_event().event);
  CHECK(std::get<event_line>(found).parent == "00000006");
  CHECK(std::get<event_line>(found).at == first_event().at);
  auto alone = first_event();
  alone.parent = {};
  CHECK(written_event(alone).find(R"("parentId":null,)") != std::string::npos);
  CHECK(std::holds_alternative<event_line>(sessions::read_line(written_event(alone))));
}

TEST_CASE("X3_lines: no line with a changed or missing byte is taken for whole, or for another's",
          "[store][session]") {
  const auto line = written_event(first_event());
  for (std::size_t at = 0; at < line.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto other = line;
      other[at] = static_cast<char>(static_cast<unsigned char>(other[at]) ^ (1U << bit));
      CAPTURE(at, bit, other);
      if (!std::holds_alternative<damaged_line>(sessions::read_line(other)))
        FAIL_CHECK("taken");
    }
  for (std::size_t bytes = 1; bytes < line.size(); ++bytes)
    CHECK(std::holds_alternative<damaged_line>(
        sessions::read_line(std::string_view{line}.substr(0, bytes))));
}

TEST_CASE("X3_lines: lines of other programs are known as such", "[store][session]") {
  for (const auto* text :
       {"", "  ", R"({"type":"message","id":"b1bf6a1d","parentId":null,"message":{}})",
        R"({"type":"custom","customType":"model-snapshot","data":{"seq":1}})", "{}"}) {
    CAPTURE(text);
    CHECK(std::holds_alternative<foreign_line>(sessions::read_line(text)));
  }
  const auto named = sessions::read_line(R"({"type":"message","id":"b1bf6a1d"})");
  CHECK(std::get<foreign_line>(named).id == "b1bf6a1d");
  const auto odd = sessions::read_line(R"({"type":"message","id":"a\"b"})");
  CHECK(std::get<foreign_line>(odd).id.empty());
  for (const auto* text : {"1", "[]", "null", "{", "{}}", "{\"a\":\"\xff\"}",
                           R"({"type":"custom","customType":"a2a-opt/v2","data":{}})"})
    CHECK(std::holds_alternative<damaged_line>(sessions::read_line(text)));
  CHECK(std::holds_alternative<damaged_line>(sessions::read_line(std::string_view{"\0", 1})));
  for (const auto* text :
       {"", "{}", R"({"type":"session","version":2,"key":"agent:main:a2a:obj:trip"})",
        R"({"type":"session","version":3,"id":"x","timestamp":"2023-11-14T22:13:20.123Z"})"})
    CHECK(read_head(text).has_error());
}
