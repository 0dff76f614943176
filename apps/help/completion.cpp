#include "apps/help/completion.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe {

namespace {

struct kind_row {
  std::string_view command; ///< Empty: any.
  std::string_view name;    ///< Of the argument, of the option, or the type of its value.
  candidate_kind kind;
};

/// The first row that fits decides.
constexpr auto kinds = std::to_array<kind_row>({
    {"", "FILE", candidate_kind::files},
    {"plan", "TEXT", candidate_kind::files},
    {"", "FILE.svg|html", candidate_kind::files},
    {"", "PATH", candidate_kind::files},
    {"", "DIR", candidate_kind::directories},
    {"", "RUN", candidate_kind::runs},
    {"logs", "TASK", candidate_kind::run_tasks},
    {"run", "TASK", candidate_kind::file_tasks},
    {"add", "TASK", candidate_kind::remote_tasks},
    {"ls", "TASK", candidate_kind::remote_tasks},
    {"rm", "TASK", candidate_kind::remote_tasks},
    {"task", "ID", candidate_kind::remote_tasks},
    {"send", "--task", candidate_kind::remote_tasks},
    {"send", "--context", candidate_kind::remote_contexts},
    {"tasks", "--context", candidate_kind::remote_contexts},
    {"answer", "ID", candidate_kind::questions},
    {"claim", "ID", candidate_kind::questions},
    {"inbox", "OBJECTIVE", candidate_kind::runs},
    {"cancel", "ID", candidate_kind::objectives_or_tasks},
    {"watch", "ID", candidate_kind::objectives},
    {"modify", "ID", candidate_kind::runs},
    {"modify", "--after", candidate_kind::objective_tasks},
    {"history", "ID", candidate_kind::runs},
    {"replan", "ID", candidate_kind::objectives},
    {"pause", "ID", candidate_kind::objectives},
    {"resume", "ID", candidate_kind::runs},
    {"retry", "ID", candidate_kind::runs},
    {"export", "OBJECTIVE", candidate_kind::stored_objectives},
    {"", "OBJECTIVE", candidate_kind::objectives},
    {"replan", "--template", candidate_kind::remote_templates},
    {"", "--template", candidate_kind::templates},
    {"show", "NAME", candidate_kind::templates},
    {"agent", "URL", candidate_kind::servers},
    {"", "URL|ALIAS", candidate_kind::servers},
    {"use", "ALIAS", candidate_kind::targets},
});

candidate_kind kind_of(const CLI::App& command, std::string_view name) {
  const auto found = std::ranges::find_if(kinds, [&](const kind_row& row) {
    return row.name == name && (row.command.empty() || row.command == command.get_name());
  });
  return found == kinds.end() ? candidate_kind::none : found->kind;
}

/// One of some names, as `add_choice` has them: `a|b`.
bool is_choice(std::string_view type) {
  return type.find('|') != std::string_view::npos && std::ranges::all_of(type, [](char c) {
           return (c >= 'a' && c <= 'z') || c == '|' || c == '-' || (c >= '0' && c <= '9');
         });
}

/// The command line up to the word that is being typed.
class reading {
public:
  explicit reading(const CLI::App& app) : command_(&app) {}

  void take(const std::string& word) {
    if (pending_ != nullptr)
      return take_value(word);
    if (word.size() > 1 && word.front() == '-')
      return take_option(word);
    if (arguments_.empty())
      if (const auto* next = subcommand(word)) {
        command_ = next;
        return;
      }
    arguments_.push_back(word);
  }

  [[nodiscard]] completion finish(const std::string& typed) const {
    completion out;
    out.server = server_;
    out.directory = directory_;
    if (!arguments_.empty())
      out.of = arguments_.front();
    const auto add = [&](const std::string& word, const std::string& help) {
      if (word.starts_with(typed))
        out.words.emplace_back(word, help.substr(0, help.find('\n')));
    };
    if (pending_ != nullptr) {
      add_values(*pending_, add, out);
    } else if (typed.starts_with('-')) {
      for (const auto* option : command_->get_options())
        if (!option->get_positional())
          add(name_of(*option), option->get_description());
    } else {
      if (arguments_.empty())
        for (const auto* each : command_->get_subcommands(nullptr))
          add(each->get_name(), each->get_description());
      if (command_->get_name() == "help")
        for (const auto* each : command_->get_parent()->get_subcommands(nullptr))
          add(each->get_name(), each->get_description());
      if (const auto* argument = next_argument())
        add_values(*argument, add, out);
      if (out.kind == candidate_kind::files && goes_on_)
        out.kind = candidate_kind::runs_or_files;
    }
    return out;
  }

private:
  template<class Add>
  void add_values(const CLI::Option& option, Add add, completion& out) const {
    const auto type = option.get_type_name();
    if (is_choice(type)) {
      for (std::string_view rest = type; !rest.empty();) {
        const auto end = std::min(rest.find('|'), rest.size());
        add(std::string(rest.substr(0, end)), {});
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    } else if (!option.get_positional() && name_of(option) == "--agent") {
      out.kind = candidate_kind::agents;
    } else {
      if (!option.get_positional())
        out.kind = kind_of(*command_, name_of(option));
      if (out.kind == candidate_kind::none)
        out.kind = kind_of(*command_, option.get_positional() ? option.get_name() : type);
    }
  }

  void take_value(const std::string& word) {
    const auto name = name_of(*pending_);
    if (name == "--server")
      server_ = word;
    // `session export` reads from --data, and writes to --dir.
    if (name == "--data" || name == "--templates" || (name == "--dir" && directory_.empty()))
      directory_ = word;
    if (name == "--run" && arguments_.empty())
      arguments_.push_back(word);
    pending_ = nullptr;
  }

  void take_option(const std::string& word) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const auto bare = name.substr(name.find_first_not_of('-'));
    goes_on_ = goes_on_ || name == "--resume" || name == "--retry";
    for (const auto* option : command_->get_options()) {
      const auto is_named = std::ranges::count(option->get_lnames(), bare) > 0
                            || std::ranges::count(option->get_snames(), bare) > 0;
      if (!is_named || option->get_items_expected_max() == 0)
        continue;
      pending_ = option;
      if (equals != std::string::npos)
        take_value(word.substr(equals + 1));
      return;
    }
  }

  [[nodiscard]] const CLI::App* subcommand(const std::string& word) const {
    for (const auto* each : command_->get_subcommands(nullptr))
      if (each->get_name() == word)
        return each;
    return nullptr;
  }

  [[nodiscard]] const CLI::Option* next_argument() const {
    auto taken = arguments_.size();
    for (const auto* option : command_->get_options()) {
      if (!option->get_positional())
        continue;
      const auto takes = static_cast<std::size_t>(std::max(1, option->get_items_expected_max()));
      if (taken < takes)
        return option;
      taken -= takes;
    }
    return nullptr;
  }

  static std::string name_of(const CLI::Option& option) {
    return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
  }

  const CLI::App* command_;
  const CLI::Option* pending_ = nullptr; ///< Its value comes next.
  std::vector<std::string> arguments_;
  std::string server_;
  std::string directory_;
  bool goes_on_ = false; ///< With an earlier run.
};

} // namespace

completion complete(const CLI::App& app, const std::vector<std::string>& words) {
  reading read(app);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    read.take(words[i]);
  return read.finish(words.empty() ? std::string{} : words.back());
}

} // namespace troupe
