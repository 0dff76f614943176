// `troupe history` without a server: how the plans of a run that no process runs were changed, by
// its retries and by its agents.
#include "actors/service/plan_history.hpp"
#include "apps/commands.hpp"
#include "apps/run/history_table.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/runs/run_record.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/json/written_tree.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/limits_opt.hpp"
#include <troupe/store/await.hpp>

#include <boost/json/array.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::size_t shown_revisions_max = 1000;
/// An operation may stand deeper in a revision than in the document that it came from.
constexpr std::size_t revision_depth_max = opt::document_depth_max + 10;

/// Calls `take` with each change of the objective, until it wants no more.
result<void> for_each_change(const run_record& of,
                             const std::function<bool(const change_ptr&)>& take) {
  history_range range;
  for (;;) {
    const auto page = await_read<history_page>(
        [&](auto done) { of.records->read_changes(of.view->id, range, std::move(done)); });
    if (!page)
      return page.error();
    for (const auto& each : page->changes)
      if (!take(each))
        return {};
    if (!page->more)
      return {};
    range.after = page->next_after;
  }
}

result<json::value> shown_revision(const run_record& of, const objective_revision& one) {
  std::vector<plan_spec_ptr> plans;
  for (const auto& plan : of.view->plans)
    plans.push_back(plan.spec);
  auto tree = written_tree(
      [&](json_writer& out) {
        opt::write_objective_revision(out, plans, one.revision, *one.change, one.first, one.last);
      },
      revision_depth_max);
  if (!tree)
    return make_error(errc::store_unreadable, "revision " + std::to_string(one.revision)
                                                  + " cannot be shown: " + tree.error().message);
  return tree;
}

/// Keeps the operations about the plan. False: there is none.
bool narrow_to(json::value& revision, const std::string& plan) {
  auto& operations = revision.at("operations").as_array();
  json::array kept;
  for (auto& each : operations)
    if (text_in(each, "plan") == plan)
      kept.push_back(std::move(each));
  operations = std::move(kept);
  return !operations.empty();
}

result<std::vector<json::value>> changes_of(const run_record& of, const std::string& plan,
                                            std::uint64_t after) {
  objective_history_reader reader(after, 0, shown_revisions_max);
  const auto read = for_each_change(of, [&](const change_ptr& change) {
    reader.take(change);
    return true;
  });
  if (!read)
    return read.error();
  if (reader.has_more())
    complain("only the last " + std::to_string(shown_revisions_max) + " changes are looked at");
  std::vector<json::value> out;
  for (const auto& one : reader.take_revisions()) {
    auto shown = shown_revision(of, one);
    if (!shown)
      return shown.error();
    if (plan.empty() || narrow_to(*shown, plan))
      out.push_back(std::move(*shown));
  }
  return out;
}

/// As a plan document.
result<std::string> past_document(const run_record& of, const std::string& plan,
                                  std::uint64_t revision) {
  if (revision > of.view->revision)
    return make_error(errc::revision_not_found,
                      "the run is at revision " + std::to_string(of.view->revision));
  past_objective_reader past(revision);
  if (const auto read =
          for_each_change(of, [&](const change_ptr& change) { return past.take(change); });
      !read)
    return read.error();
  std::string text;
  json_writer out(text);
  if (plan.empty()) {
    opt::write_spec(out, opt::spec_of(past.view()));
    return text;
  }
  const auto& plans = past.view().plans;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (const auto* found = past.plan(static_cast<std::uint32_t>(i));
        found != nullptr && found->spec->id.str() == plan) {
      opt::write_spec(out, *found->spec);
      return text;
    }
  return make_error(errc::plan_not_found, "the run had no plan " + shown(plan) + " then");
}

} // namespace

int run_history_command(const history_options& options) {
  const auto meant = run_or_plan_named(options.id);
  if (!meant)
    return refuse_usage(meant.error());
  const auto record = open_record(meant->run);
  if (!record)
    return refuse_usage(record.error());
  if (const auto has_plan = check_plan_of(*record->view, meant->plan); !has_plan)
    return refuse_usage(has_plan.error());
  if (options.at) {
    const auto past = past_document(*record, meant->plan, *options.at);
    if (!past) {
      complain(past.error().message);
      return exit_failed;
    }
    return say(*past + "\n") ? exit_ok : exit_failed;
  }
  const auto all = changes_of(*record, meant->plan, options.after.value_or(0));
  if (!all) {
    complain(all.error().message);
    return exit_failed;
  }
  if (all->empty() && !options.json) {
    complain(clean_line(options.id) + " has no changes");
    return exit_ok;
  }
  return say(draw_changes(*all, options)) ? exit_ok : exit_failed;
}

} // namespace troupe
