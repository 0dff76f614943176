#include "protocol/record/record_json.hpp"
#include <troupe/protocol/push_row.hpp>

#include <string>

namespace troupe::record {

namespace json = boost::json;

namespace {

constexpr auto payload_first = static_cast<std::uint32_t>(push_payload::v1_0);
constexpr auto payload_last = static_cast<std::uint32_t>(push_payload::v0_3);

push_payload payload_from(const json::object& in) {
  const auto found = number<std::uint32_t>(in, "p", payload_first);
  if (found < payload_first || found > payload_last)
    throw std::runtime_error("unknown payload " + std::to_string(found));
  return static_cast<push_payload>(found);
}

} // namespace

void write(std::string& out, const push_row& row) {
  const auto& config = row.config;
  const auto& done = row.progress;
  json_writer to{out};
  to.begin_object().member("u", config.url).optional_member("t", config.token);
  if (config.authentication)
    to.key("h")
        .begin_object()
        .member("s", config.authentication->scheme)
        .optional_member("c", config.authentication->credentials)
        .end_object();
  to.key("p").number(static_cast<std::uint32_t>(config.payload));
  if (config.progress)
    to.key("pr").boolean(true);
  to.member("o", config.owner.id).optional_member("n", config.owner.tenant);
  to.key("g").number(row.serial).key("a").number(done.after).key("e").number(done.events);
  if (done.snapshot_first)
    to.key("f").boolean(true);
  if (done.failures != 0)
    to.key("x").number(done.failures);
  if (!done.stopped.empty()) {
    to.member("r", done.stopped);
    write_time(to, "m", done.stopped_at);
  }
  to.end_object();
}

result<push_row> read_push_row(std::string_view row, std::string_view task, std::string_view id) {
  return read_row<push_row>("push configuration", row, [&](const json::object& in) {
    push_row out;
    out.config.id = id;
    out.config.task = task_id{task};
    out.config.url = text(in, "u");
    out.config.token = text(in, "t");
    if (const auto* how = find(in, "h"))
      out.config.authentication =
          push_authentication{text(how->as_object(), "s"), text(how->as_object(), "c")};
    out.config.payload = payload_from(in);
    out.config.progress = find(in, "pr") != nullptr;
    out.config.owner.id = text(in, "o");
    out.config.owner.tenant = text(in, "n");
    out.serial = number<std::uint64_t>(in, "g", 0);
    out.progress.after = number<std::uint64_t>(in, "a", 0);
    out.progress.events = number<std::uint32_t>(in, "e", 0);
    out.progress.snapshot_first = find(in, "f") != nullptr;
    out.progress.failures = number<std::uint32_t>(in, "x", 0);
    out.progress.stopped = text(in, "r");
    out.progress.stopped_at = time(in, "m", {});
    return out;
  });
}

} // namespace troupe::record
