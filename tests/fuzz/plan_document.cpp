// What `troupe run FILE` is given: plan documents and WfFormat instances. A document that is
// accepted is written as one that reads back the same.
#include "protocol/opt/codec_opt.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include <troupe/protocol/plan_document.hpp>

using namespace troupe;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  if (const auto read = read_plan_document(text); !read) {
    fuzz::demand(read.error().code != errc::none && !read.error().message.empty(),
                 "an error without code or words");
    return 0;
  }
  const auto read = read_plan_document(fuzz::with_short_fractions(text));
  if (!read) // A number may have left its range.
    return 0;
  const auto spell = [](const plan_document& plan_document) {
    return fuzz::written([&](json_writer& out) { opt::write_spec(out, plan_document.objective); });
  };
  const auto first = spell(*read);
  const auto back = read_plan_document(first);
  fuzz::demand(back.has_value(), "what was written is refused", first,
               back ? "" : back.error().message);
  fuzz::demand(spell(*back) == first, "read back otherwise", first, spell(*back));
  fuzz::demand(back->kind == document_kind::opt, "written as something else", first);
  return 0;
}
