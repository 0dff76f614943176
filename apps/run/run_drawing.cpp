#include "apps/run/run_drawing.hpp"

#include "apps/run/run_screen.hpp"
#include "apps/run/run_timing.hpp"
#include "apps/run/tree_view.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"

#include <cstdlib>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

/// Plans and tasks of one run on paper; beyond, parts that have ended are folded.
constexpr std::size_t shown_lines_max = 10'000;

} // namespace

drawn_run draw_ended(const objective_view& view, const record_reader& records, timestamp end,
                     const drawing_options& options) {
  run_model model;
  model.reset(view);
  read_times(model, records, view);
  if (!options.left.empty())
    model.leave(options.left);
  view_options tree;
  tree.width = ::isatty(STDOUT_FILENO) == 1 ? size_of(STDOUT_FILENO).columns : 120;
  tree.height = shown_lines_max;
  tree.colour = options.colour;
  tree.unicode =
      is_utf8_locale(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG"));
  drawn_run out;
  for (const auto& line : draw_tree(model, tree, end))
    out.text += line + "\n";
  const auto shown = options.output.value_or(output_choice::results);
  const bool shows_all = options.output || ::isatty(STDOUT_FILENO) != 1;
  auto last =
      read_ending(records, view, shown, shows_all ? ending_limits::none() : ending_limits{});
  if (!options.show_command.empty())
    last.show_command = options.show_command;
  last.timing = timing_text(read_timing(records, view, model.began(), options.stopped),
                            stopped_in(options.stopped, model.began()));
  ending_options ending;
  ending.colour = options.colour;
  ending.columns = stdout_width();
  out.text += ending_text(model, last, end, ending);
  out.unread = std::move(last.unread);
  return out;
}

} // namespace troupe
