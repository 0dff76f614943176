#include "apps/help/man_page.hpp"

#include "apps/help/help_text.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

namespace troupe {

namespace {

/// Text that man(7) prints as it is: no line of it is a request.
std::string escaped(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\''))
      out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

/// A text whose lines stay as they are in `--help`, as far to the left as there.
std::string as_written(const std::string& text) {
  if (text.empty())
    return {};
  auto lines = fit_help(text, help_columns);
  lines.pop_back();
  return ".PP\n.in 0\n.nf\n" + escaped(lines) + "\n.fi\n.in\n";
}

std::string option_names(const CLI::Option& option) {
  std::string out;
  for (const auto& name : option.get_snames())
    out += (out.empty() ? "-" : ", -") + name;
  for (const auto& name : option.get_lnames())
    out += (out.empty() ? "--" : ", --") + name;
  return out;
}

std::string synopsis_of(const CLI::App& command, const std::string& name) {
  std::string out = name;
  bool has_options = false;
  for (const auto* option : command.get_options()) {
    if (option->get_positional())
      out += option->get_required() ? " " + option->get_name() : " [" + option->get_name() + "]";
    else
      has_options = has_options || option->get_name() != "--help";
  }
  return out + (has_options ? " [OPTIONS]" : "");
}

void add_command(std::string& out, const CLI::App& command, const std::string& name) {
  out += ".SS \"" + escaped(synopsis_of(command, name)) + "\"\n"
         + escaped(command.get_description()) + ".\n";
  for (const bool positional : {true, false})
    for (const auto* option : command.get_options()) {
      if (option->get_positional() != positional || option->get_name() == "--help")
        continue;
      out +=
          ".TP\n\\fB" + escaped(positional ? option->get_name() : option_names(*option)) + "\\fR";
      if (!positional && option->get_items_expected_max() > 0)
        out += " \\fI" + escaped(option->get_type_name()) + "\\fR";
      out += "\n" + escaped(option->get_description()) + "\n";
    }
  out += as_written(command.get_footer());
  for (const auto* each : command.get_subcommands(nullptr))
    add_command(out, *each, name + " " + each->get_name());
}

} // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
  std::string out = ".TH TROUPE 1 \"\" \"troupe " + escaped(version)
                    + "\" \"User Commands\"\n"
                      ".SH NAME\ntroupe \\- run plans, and serve them over the A2A protocol\n"
                      ".SH SYNOPSIS\n.B troupe\nCOMMAND [ARGUMENTS] [OPTIONS]\n.SH DESCRIPTION\n"
                    + escaped(app.get_description()) + "\n" + as_written(app.get_footer())
                    + ".SH COMMANDS\n";
  for (const auto* each : app.get_subcommands(nullptr))
    add_command(out, *each, "troupe " + each->get_name());
  return out
         + ".SH ENVIRONMENT\n"
           ".TP\n\\fBTROUPE_SERVER\\fR\nThe server of commands that have no \\-\\-server.\n"
           ".TP\n\\fBTROUPE_CONFIG\\fR\nThe configuration file, in place of "
           "~/.config/troupe/config.toml.\n"
           ".TP\n\\fBXDG_STATE_HOME\\fR\nRuns are kept in troupe/runs below it (default "
           "~/.local/state).\n"
           ".TP\n\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR\nNo colours; colours everywhere.\n";
}

} // namespace troupe
