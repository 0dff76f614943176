// Snapshots and events in pieces, as streams send long ones: the same text, and nothing in it is
// borrowed from what is gone.
#include "protocol/a2a/wire_codec.hpp"
#include "tests/protocol/random_values.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pieces.hpp"
#include <troupe/protocol/text_pieces.hpp>

#include <memory>
#include <string>

using namespace troupe;
using namespace troupe::test;
using namespace troupe::testing;

namespace {

const std::string long_text(5000, 'x');

/// With texts, data, metadata and progress that are long.
task_ptr long_task(random_values& random) {
  auto out = std::make_shared<task>(random.any_task());
  artifact made;
  made.artifact_id = "a";
  made.parts.push_back(text_part(long_text + random.text()));
  part data;
  data.content = data_content{boost::json::array{long_text, random.text()}};
  data.metadata["long"] = long_text;
  made.parts.push_back(data);
  out->artifacts.push_back(std::make_shared<const artifact>(made));
  progress_report report;
  report.trackers.push_back({.id = "t",
                             .progress = 1,
                             .total = 2,
                             .message = long_text,
                             .status = {},
                             .started_at = {},
                             .updated_at = {}});
  out->progress = std::make_shared<const progress_report>(report);
  if (random.coin())
    out->status.message = nullptr; // Then progress makes one.
  return out;
}

} // namespace

TEST_CASE("every codec writes in pieces what it writes at once", "[protocol][pieces][wire]") {
  for (const auto* codec : {&codec_1_0(), &codec_0_3(), &codec_0_3_rest()})
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      CAPTURE(seed);
      random_values random(seed);
      auto record = long_task(random);
      const task_view_options view{.history_length = {}, .include_progress = random.coin()};
      std::string whole;
      json_writer at_once(whole);
      codec->write_snapshot(at_once, *record, view);
      text_pieces pieces;
      {
        json_writer out(pieces);
        out.keep(record);
        codec->write_snapshot(out, *record, view);
      }
      record = nullptr;
      CHECK(put_together(std::move(pieces), 1000) == whole);
    }
}
