#include "apps/flag_choices.hpp"

#include "protocol/json/quoted.hpp"

#include <charconv>
#include <system_error>

namespace troupe {

namespace {

const std::map<std::string, colour_choice> colours{{"auto", colour_choice::automatic},
                                                   {"always", colour_choice::always},
                                                   {"never", colour_choice::never}};
const std::map<std::string, output_choice> outputs{{"results", output_choice::results},
                                                   {"all", output_choice::all},
                                                   {"failed", output_choice::failed},
                                                   {"none", output_choice::none}};

} // namespace

CLI::Validator whole_number(std::uint32_t min, std::uint32_t max) {
  return {[min, max](const std::string& text) {
            std::uint32_t number = 0;
            const auto* end = text.data() + text.size();
            const auto [stop, failed] = std::from_chars(text.data(), end, number);
            if (failed == std::errc{} && stop == end && number >= min && number <= max)
              return std::string{};
            return troupe::quoted(text) + " is not a whole number from " + std::to_string(min)
                   + " to " + std::to_string(max);
          },
          ""};
}

CLI::Option* add_pairs(CLI::App& to, const std::string& name,
                       std::vector<std::pair<std::string, std::string>>& pairs,
                       const std::string& type, const std::string& expected,
                       const std::string& help) {
  return to
      .add_option_function<std::vector<std::string>>(
          name,
          [&pairs, name, expected](const std::vector<std::string>& all) {
            for (const auto& text : all) {
              const auto at = text.find('=');
              if (at == std::string::npos || at == 0)
                throw CLI::ValidationError(name, troupe::quoted(text) + " is not " + expected);
              pairs.emplace_back(text.substr(0, at), text.substr(at + 1));
            }
          },
          help)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false) // the FILE may stand behind it
      ->take_all();
}

void add_params(CLI::App& to, std::vector<std::pair<std::string, std::string>>& params) {
  add_pairs(to, "--param", params, "NAME=VALUE", "NAME=VALUE (NAME: a parameter of the plan)",
            "A value for a parameter of the plan; may be repeated");
}

void add_colour(CLI::App& to, colour_choice& colour) {
  add_choice(to, "--color", colour, colours, "Colours (default auto; NO_COLOR is honoured)");
}

void add_output(CLI::App& to, std::optional<output_choice>& output, std::string& directory) {
  to.add_option_function<std::string>(
        "--output",
        [&output](const std::string& text) { output = value_named("--output", text, outputs); },
        "What tasks made is printed at the end: of the last ones (results, default),\n"
        "of all, of none, or only what failed programs wrote")
      ->type_name(names_of(outputs));
  to.add_option("--output-dir", directory, "Write what tasks made into files: DIR/PLAN/TASK/FILE")
      ->type_name("DIR");
}

void add_timing_files(CLI::App& to, timing_files& files) {
  to.add_option("--trace", files.trace,
                "Write when tasks ran, in the trace format of Chrome (also for Perfetto)")
      ->type_name("FILE");
  to.add_option("--timeline", files.timeline,
                "Draw when tasks ran, as SVG or, with a table, as a page")
      ->type_name("FILE.svg|html");
}

void add_server(CLI::App& to, std::string& server) {
  to.add_option("--server", server, "The server: a URL, or the alias of a target")
      ->type_name("URL|ALIAS");
}

void add_format(CLI::App& to, list_format& format) {
  static const std::map<std::string, list_format> formats{
      {"json", list_format::json}, {"name", list_format::name}, {"wide", list_format::wide}};
  add_choice(to, "-o", format, formats, "wide: more columns; json: an object a line; name: ids");
  to.add_flag_callback(
      "--json", [&format] { format = list_format::json; }, "As -o json");
}

} // namespace troupe
