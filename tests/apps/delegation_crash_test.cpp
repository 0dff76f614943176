// `kill -9` of a server at each step of a delegation, with each kind of remote agent: what becomes
// of the task, and how many remote tasks there are. One table; never two but with `resend`.
#include "tests/apps/chain_link.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstdint>
#include <string_view>

using namespace troupe::testing;

namespace {

/// When the process is killed.
enum class moment : std::uint8_t {
  before_note,     ///< The card is asked for.
  before_send,     ///< The note is durable, and the request has not arrived.
  sent,            ///< The request has arrived, and its answer has not.
  id_known,        ///< The remote task asks.
  answer_sent,     ///< Our answer to its question has not arrived.
  answer_received, ///< It has arrived, and that is not known.
};

enum class remote_kind : std::uint8_t {
  troupe,     ///< Knows a request that comes again.
  lists,      ///< Does not, but lists its tasks.
  no_list,    ///< 0.3: neither.
  no_streams, ///< As `lists`, and without streams.
};

struct crash_row {
  moment at;
  remote_kind kind;
  std::string_view when_unsure;
  std::string_view end; ///< Of our task: TASK_STATE_ is left out.
  int remote_tasks;
};

// clang-format off
constexpr auto crash_rows = std::to_array<crash_row>({
    {moment::before_note,     remote_kind::troupe,     "fail",   "COMPLETED", 1},
    {moment::before_note,     remote_kind::lists,      "fail",   "COMPLETED", 1},
    {moment::before_note,     remote_kind::no_list,    "fail",   "COMPLETED", 1},
    {moment::before_note,     remote_kind::no_streams, "fail",   "COMPLETED", 1},
    {moment::before_send,     remote_kind::troupe,     "fail",   "COMPLETED", 1},
    {moment::before_send,     remote_kind::lists,      "fail",   "COMPLETED", 1},
    {moment::before_send,     remote_kind::no_list,    "fail",   "FAILED",    0},
    {moment::before_send,     remote_kind::no_list,    "resend", "COMPLETED", 1},
    {moment::before_send,     remote_kind::no_streams, "fail",   "COMPLETED", 1},
    {moment::sent,            remote_kind::troupe,     "fail",   "COMPLETED", 1},
    {moment::sent,            remote_kind::lists,      "fail",   "COMPLETED", 1},
    {moment::sent,            remote_kind::no_list,    "fail",   "FAILED",    1},
    {moment::sent,            remote_kind::no_list,    "resend", "COMPLETED", 2},
    {moment::sent,            remote_kind::no_streams, "fail",   "COMPLETED", 1},
    {moment::id_known,        remote_kind::troupe,     "fail",   "COMPLETED", 1},
    {moment::id_known,        remote_kind::lists,      "fail",   "COMPLETED", 1},
    {moment::id_known,        remote_kind::no_list,    "fail",   "COMPLETED", 1},
    {moment::id_known,        remote_kind::no_streams, "fail",   "COMPLETED", 1},
    {moment::answer_sent,     remote_kind::troupe,     "fail",   "COMPLETED", 1},
    {moment::answer_sent,     remote_kind::lists,      "fail",   "COMPLETED", 1},
    {moment::answer_sent,     remote_kind::no_list,    "fail",   "COMPLETED", 1},
    {moment::answer_sent,     remote_kind::no_streams, "fail",   "COMPLETED", 1},
    {moment::answer_received, remote_kind::troupe,     "fail",   "COMPLETED", 1},
    {moment::answer_received, remote_kind::lists,      "fail",   "COMPLETED", 1},
    {moment::answer_received, remote_kind::no_list,    "fail",   "COMPLETED", 1},
    {moment::answer_received, remote_kind::no_streams, "fail",   "COMPLETED", 1},
});
// clang-format on

/// How the request that asks for a task begins, and one that hands an answer over.
std::string method_of_request(remote_kind kind) {
  switch (kind) {
    case remote_kind::no_list: return R"("message/stream")";
    case remote_kind::no_streams: return R"("SendMessage")";
    case remote_kind::troupe:
    case remote_kind::lists: break;
  }
  return R"("SendStreamingMessage")";
}
std::string method_of_answer(remote_kind kind) {
  return kind == remote_kind::no_list ? R"("message/send")" : R"("SendMessage")";
}

/// Makes the server behind `door` an agent of that kind.
void pretend(relay& door, remote_kind kind) {
  if (kind != remote_kind::troupe)
    door.replace("urn:troupe:idempotent-send:v1", "urn:unknown:idempotent-send:1");
  if (kind == remote_kind::no_streams)
    door.replace(R"("streaming":true)", R"("streamers":true)");
}

void kill_at(const crash_row& row, chain_link& here, chain_link& there) {
  const auto before = there.task_count();
  auto& door = there.door();
  const auto is_swallowed = [&] { return door.swallowed() > 0; };
  const std::string steps = R"([{"ask":"Which city?"},{"artifactFromAnswer":{"name":"city"}},)"
                            R"({"complete":"booked"}])";
  const auto task = delegated(
      "T", "there", scripted(steps) + R"(,"whenUnsure":")" + std::string(row.when_unsure) + "\"");
  if (row.at == moment::before_note)
    door.swallow_request("agent-card.json");
  else if (row.at == moment::before_send)
    door.swallow_request(method_of_request(row.kind));
  else if (row.at == moment::sent)
    door.swallow_answer(method_of_request(row.kind));
  here.begin("trip", task);
  switch (row.at) {
    case moment::before_note:
    case moment::before_send: REQUIRE(comes_true(is_swallowed)); break;
    case moment::sent: REQUIRE(comes_true([&] { return there.task_count() == before + 1; })); break;
    case moment::id_known:
      REQUIRE(here.server().reaches("trip.p0.t0", "TASK_STATE_INPUT_REQUIRED"));
      break;
    case moment::answer_sent:
    case moment::answer_received:
      REQUIRE(here.server().reaches("trip.p0.t0", "TASK_STATE_INPUT_REQUIRED"));
      if (row.at == moment::answer_sent)
        door.swallow_request(method_of_answer(row.kind));
      else
        door.swallow_answer(method_of_answer(row.kind));
      here.answer("trip.p0.t0", "Oslo");
      REQUIRE(comes_true(is_swallowed));
      break;
  }
  here.kill();
}

/// The remote tasks that there are more than before.
std::int64_t go_on_and_count(const crash_row& row, chain_link& here, chain_link& there,
                             std::int64_t before) {
  here.start_again();
  const auto end = "TASK_STATE_" + std::string(row.end);
  const bool is_answered = row.at == moment::answer_sent || row.at == moment::answer_received;
  if (!is_answered && row.end == "COMPLETED") {
    REQUIRE(comes_true([&] { return here.question_count() == 1; }));
    here.answer("trip.p0.t0", "Oslo");
  }
  REQUIRE(here.server().reaches("trip.p0.t0", end));
  if (row.end == "COMPLETED")
    CHECK(at(here.task("trip.p0.t0"), "/artifacts/0/parts/0/text") == "Oslo");
  else
    CHECK(here.words("trip.p0.t0").find("it is not known whether") != std::string::npos);
  return there.task_count() - before;
}

} // namespace

TEST_CASE("a server that is killed at any step of a delegation never makes a second remote task",
          "[binary][delegation][crash]") {
  chain_link there;
  there.start({});
  for (const auto& row : crash_rows) {
    CAPTURE(static_cast<int>(row.at), static_cast<int>(row.kind), row.when_unsure);
    const auto before = there.task_count();
    pretend(there.door(), row.kind);
    chain_link here;
    here.start({{"there", there.url(), row.kind == remote_kind::no_list ? "0.3" : "1.0"}});
    kill_at(row, here, there);
    there.door().reset();
    pretend(there.door(), row.kind);
    CHECK(go_on_and_count(row, here, there, before) == row.remote_tasks);
    there.door().reset();
    here.kill();
  }
}
