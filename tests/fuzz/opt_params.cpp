// Params of the extensions' methods: objectives/*, plans/*, and the payload of task progress.
#include "protocol/a2a/codec_progress.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/plan_operations.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace troupe;

namespace {

// Other codes than invalid_params say what is wrong with a plan as a whole.
template<class T>
bool taken(const result<T>& read) {
  if (!read)
    fuzz::demand(read.error().code != errc::none && !read.error().message.empty(),
                 "an error without code or words");
  return read.has_value();
}

template<class Spec, class Read>
void demand_round_trip(const Spec& spec, const Read& read) {
  const auto spell = [](const Spec& value) {
    return fuzz::written([&](json_writer& out) { opt::write_spec(out, value); });
  };
  const auto first = spell(spec);
  const auto back = read(fuzz::tree_of(first), opt::unknown_members::refuse, "");
  fuzz::demand(back.has_value(), "what was written is refused", first,
               back ? "" : back.error().message);
  fuzz::demand(spell(*back) == first, "read back otherwise", first, spell(*back));
}

void demand_operations_again(const std::vector<wanted_objective_operation>& operations) {
  const auto spell = [](const std::vector<wanted_objective_operation>& all) {
    return fuzz::written([&](json_writer& out) { opt::write_operations(out, all); });
  };
  const auto first = spell(operations);
  const auto back = opt::read_objective_operations(fuzz::tree_of(first).as_array(), "/operations");
  fuzz::demand(back.has_value(), "operations that were written are refused", first,
               back ? "" : back.error().message);
  fuzz::demand(spell(*back) == first, "operations read back otherwise", first, spell(*back));
}

void check(const boost::json::value& params) {
  if (const auto made = opt::read_create_objective(params); taken(made))
    demand_round_trip(made->spec, opt::read_objective);
  if (const auto made = opt::read_create_plan(params); taken(made) && !made->wrong)
    demand_round_trip(made->spec, opt::read_plan);
  (void)taken(opt::read_task(params, opt::unknown_members::ignore));
  (void)taken(opt::read_update_objective(params));
  (void)taken(opt::read_get_objective(params));
  (void)taken(opt::read_list_objectives(params));
  (void)taken(opt::read_update_plan(params));
  (void)taken(opt::read_get_plan(params));
  (void)taken(opt::read_list_plans(params));
  if (const auto added = opt::read_add_tasks(params); taken(added))
    fuzz::demand(added->wrong || !added->operations.empty(), "a change of nothing", "");
  if (const auto changed = opt::read_modify_plan(params); taken(changed))
    fuzz::demand(changed->wrong || !changed->operations.empty(), "a change of nothing", "");
  if (const auto changed = opt::read_modify_objective(params); taken(changed)) {
    fuzz::demand(changed->wrong || !changed->operations.empty(), "a change of nothing", "");
    demand_operations_again(changed->operations);
  }
  (void)taken(opt::read_replan_objective(params));
  if (const auto report = read_progress(params); fuzz::accepted(report)) {
    const auto first = fuzz::written([&](json_writer& out) { write_progress(out, *report); });
    const auto back = read_progress(fuzz::tree_of(first));
    fuzz::demand(back.has_value(), "progress that was written is refused", first,
                 back ? "" : back.error().message);
    fuzz::demand(*back == *report, "progress read back otherwise", first);
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto params = fuzz::tree_from(fuzz::text_of(data, size)))
    check(*params);
  return 0;
}
