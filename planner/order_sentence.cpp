#include "planner/order_sentence.hpp"

#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "planner/limits.hpp"
#include "planner/steps.hpp"

namespace troupe::planner {

namespace {

constexpr auto refused = meaning::refused;
constexpr auto main_first = meaning::main_first;
constexpr auto main_last = meaning::main_last;
constexpr auto no_order = meaning::no_order;

/// The other side has to have ended.
constexpr std::uint8_t no_end = other_start | other_goes_on;
/// Of the main side, the same.
constexpr std::uint8_t lasting = main_start | main_goes_on;

// clang-format off
constexpr auto meanings = std::to_array<meaning_row>({
    // connective              plain       may        only       must not    need not  refused moments           if denied
    {word_class::before,     {main_first, refused,   refused,   main_last,  refused}, main_start | other_end,   no_end | main_end},
    {word_class::after,      {main_last,  refused,   main_last, refused,    refused}, other_start | main_end,   0},
    {word_class::once,       {main_last,  main_last, main_last, refused,    refused}, no_end | main_end,        0},
    {word_class::upon,       {main_last,  main_last, main_last, refused,    refused}, other_start | main_end,   0},
    {word_class::until,      {main_last,  refused,   refused,   main_last,  refused}, no_end | main_end,        no_end | main_end},
    {word_class::needed_for, {main_first, refused,   refused,   refused,    refused}, lasting | other_end,      0},
    {word_class::needs,      {main_last,  refused,   main_last, refused,    refused}, no_end | main_end,        0},
    {word_class::then,       {main_first, refused,   refused,   refused,    refused}, 0 /* see below */,        0},
    {word_class::together,   {no_order,   no_order,  no_order,  refused,    refused}, 0,                        0},
    {word_class::during,     {no_order,   no_order,  no_order,  refused,    refused}, 0,                        0},
    {word_class::in_order,   {main_first, refused,   refused,   refused,    refused}, 0,                        0},
});
// clang-format on

const meaning_row& row_of(word_class connective) {
  return *std::ranges::find(meanings, connective, &meaning_row::connective);
}

using parts = std::span<const sentence_part>;

const word_class* word_of(const sentence_part& part) {
  const auto* word = std::get_if<known_word>(&part.is);
  return word == nullptr ? nullptr : &word->meaning;
}

bool is_connective(const sentence_part& part) {
  const auto* word = word_of(part);
  return word != nullptr && says_order(*word);
}

/// Before and after its side comes a clause of its own: "after step 1, do step 2".
bool opens_clause(word_class connective) {
  return connective <= word_class::until;
}

/// Of these several in a sentence make a chain: "step 1, then step 2, then step 3".
bool makes_chain(word_class connective) {
  return connective == word_class::then || connective == word_class::needed_for
         || connective == word_class::before;
}

/// One side of a sentence.
struct side {
  std::vector<std::uint32_t> steps;
  std::size_t groups = 0; ///< Into which commas part the steps.
  std::size_t must = 0;
  std::size_t may = 0;
  std::size_t only = 0;
  std::size_t must_not = 0;
  std::size_t need_not = 0;
  bool has_start = false;
  bool goes_on = false;
  bool has_end = false;
  bool waits = false;
  bool has_every = false;
};

void count_word(word_class meaning, side& into) {
  switch (meaning) {
    case word_class::must: // "You will not have to"
      ++(into.must_not > 0 ? into.need_not : into.must);
      break;
    case word_class::may: ++into.may; break;
    case word_class::only: ++into.only; break;
    case word_class::must_not: ++into.must_not; break;
    case word_class::need_not: ++into.need_not; break;
    case word_class::start: into.has_start = true; break;
    case word_class::goes_on: into.goes_on = true; break;
    case word_class::end: into.has_end = true; break;
    case word_class::wait: into.waits = true; break;
    case word_class::every: into.has_every = true; break;
    default: break;
  }
}

/// The steps of a side are one list: only commas and "and" between them, and "and" before the last
/// if there are commas.
class side_reader {
public:
  std::optional<refusal> read(parts all, side& into) {
    for (const auto& part : all) {
      if (const auto* named = part.steps()) {
        if (auto wrong = add_steps(*named, into))
          return wrong;
      } else if (part.is_comma()) {
        has_comma_ = true;
      } else if (part.is_word(word_class::conjunction)) {
        if (into.steps.empty() || has_words_ || has_conjunction_)
          return refusal{"\"and\" joins something else than steps"};
        has_conjunction_ = true;
      } else if (const auto* word = word_of(part)) {
        if (has_conjunction_)
          return refusal{"\"and\" joins something else than steps"};
        has_words_ = true;
        count_word(*word, into);
      }
    }
    if (has_conjunction_)
      return refusal{"\"and\" joins something else than steps"};
    if (into.groups > 1 && !ends_with_conjunction_)
      return refusal{"steps in a list need \"and\" before the last one"};
    return std::nullopt;
  }

private:
  std::optional<refusal> add_steps(const named_steps& named, side& into) {
    if (!into.steps.empty()) {
      if (has_words_ || (!has_comma_ && !has_conjunction_))
        return refusal{"steps of one side are apart from each other"};
      ends_with_conjunction_ = has_conjunction_;
    }
    if (into.steps.empty() || has_comma_)
      ++into.groups;
    into.steps.insert(into.steps.end(), named.steps.begin(), named.steps.end());
    has_words_ = has_comma_ = has_conjunction_ = false;
    return std::nullopt;
  }

  // Since the last steps:
  bool has_words_ = false;
  bool has_comma_ = false;
  bool has_conjunction_ = false;
  bool ends_with_conjunction_ = true;
};

read_result<modality> modality_of(const side& of) {
  if (of.need_not > 0)
    return modality::need_not;
  if (of.must_not > 1 || (of.must_not == 1 && of.may + of.only > 0))
    return refusal{"it denies more than once, or denies and allows"};
  if (of.must_not == 1)
    return modality::must_not;
  if (of.only > 0)
    return modality::only;
  return of.may > 0 ? modality::may : modality::plain;
}

bool has_modality(const side& of) {
  return of.must + of.may + of.only + of.must_not + of.need_not > 0;
}

std::string why_refused(const std::string& connective, modality how) {
  const auto shown_word = quoted(connective);
  switch (how) {
    case modality::plain: break;
    case modality::may: return "what may be " + shown_word + " need not be";
    case modality::only: return "\"only\" with " + shown_word + " has no meaning that is known";
    case modality::must_not:
      return "what must not be " + shown_word + " says nothing about another order";
    case modality::need_not: return "it says that an order is not needed";
  }
  return shown_word + " has no meaning here";
}

std::optional<refusal> check_moments(std::uint8_t moments, const side& main, const side& other) {
  if (((moments & main_start) != 0 && main.has_start)
      || ((moments & other_start) != 0 && other.has_start))
    return refusal{"it speaks of the start of a step that would have to end first"};
  if (((moments & other_goes_on) != 0 && other.goes_on)
      || ((moments & main_goes_on) != 0 && main.goes_on))
    return refusal{"it speaks of a step that goes on, not of its end"};
  if (((moments & main_end) != 0 && main.has_end) || ((moments & other_end) != 0 && other.has_end))
    return refusal{"it speaks of the end of a step that would have to wait with its start"};
  return std::nullopt;
}

/// Each step is in one group.
std::optional<refusal> check_groups(const ordering& said, const step_names& names) {
  std::unordered_set<std::uint32_t> seen;
  for (const auto& group : said) {
    count_steps(group.size());
    if (group.empty())
      return refusal{"it names steps on one side only"};
    for (const auto step : group)
      if (seen.contains(step))
        return refusal{names.spoken(step) + " would come before itself"};
    seen.insert(group.begin(), group.end());
  }
  return std::nullopt;
}

void drop_repeated(std::vector<std::uint32_t>& steps) {
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
}

/// Reads a sentence whose parts are known.
class sentence_reader {
public:
  sentence_reader(std::vector<sentence_part> all, const step_names& names)
      : parts_(std::move(all)), names_(names) {
    count_steps(parts_.size());
  }

  read_result<ordering> read() {
    auto connectives = find_connectives();
    if (!connectives)
      return connectives.error();
    const auto& at = *connectives;
    auto out = at.empty() ? read_of_all() : at.size() > 1 ? read_chain(at) : read_pair(at.front());
    if (!out)
      return out;
    for (auto& group : *out)
      drop_repeated(group);
    if (auto wrong = check_groups(*out, names_))
      return *wrong;
    return out;
  }

private:
  using positions = std::vector<std::size_t>;

  /// Those that put one side before another. "After step 1, then step 2": this "then" only repeats
  /// "after"; it parts the sides as a comma does.
  read_result<positions> find_connectives() {
    positions out;
    positions thens;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!is_connective(parts_[i]))
        continue;
      const auto word = *word_of(parts_[i]);
      has_together_ = has_together_ || word == word_class::together;
      has_during_ = has_during_ || word == word_class::during;
      has_in_order_ = has_in_order_ || word == word_class::in_order;
      if (word >= word_class::together)
        continue;
      (word == word_class::then ? thens : out).push_back(i);
    }
    if (out.size() == 1 && thens.size() == 1 && ends_first_clause(thens.front(), out.front())) {
      parts_[thens.front()].is = comma_mark{};
    } else {
      out.insert(out.end(), thens.begin(), thens.end());
      std::ranges::sort(out);
    }
    if (!out.empty() && has_during_)
      return refusal{"\"while\" stands beside " + quoted(parts_[out.front()].text)};
    if ((!out.empty() || has_together_ || has_during_) && has_in_order_)
      return refusal{"\"in order\" stands beside another word for an order"};
    const auto continues = [&](std::size_t each) {
      return makes_chain(*word_of(parts_[each]))
             && *word_of(parts_[each]) == *word_of(parts_[out.front()]);
    };
    if (out.size() > 1 && !std::ranges::all_of(out, continues))
      return refusal{"it says more than one order: " + quoted(parts_[out[0]].text) + " and "
                     + quoted(parts_[out[1]].text)};
    return out;
  }

  /// "After step 1, then ...": the steps of the clause stand before "then", and no others do.
  [[nodiscard]] bool ends_first_clause(std::size_t then, std::size_t clause) const {
    const auto word = *word_of(parts_[clause]);
    const bool is_moment =
        word == word_class::after || word == word_class::once || word == word_class::upon;
    const auto is_steps = [](const sentence_part& part) { return part.steps() != nullptr; };
    const auto all = parts(parts_);
    return is_moment && clause < then && std::ranges::none_of(all.first(clause), is_steps)
           && std::ranges::any_of(all.subspan(clause, then - clause), is_steps);
  }

  /// "Steps 2 and 3 in parallel", "all steps in this order".
  read_result<ordering> read_of_all() {
    if (!has_together_ && !has_during_ && !has_in_order_)
      return refusal{"it says nothing about the order of steps"};
    side all;
    std::vector<std::uint32_t> steps;
    for (const auto& part : parts_) {
      if (const auto* named = part.steps())
        steps.insert(steps.end(), named->steps.begin(), named->steps.end());
      else if (const auto* word = word_of(part))
        count_word(*word, all);
    }
    const auto connective = has_in_order_   ? word_class::in_order
                            : has_together_ ? word_class::together
                                            : word_class::during;
    if (auto wrong = check_modality(connective, all))
      return *wrong;
    if (all.waits)
      return refusal{"\"wait\" is known only before \"until\""};
    if (steps.empty())
      for (std::uint32_t i = 0; i < names_.size(); ++i)
        steps.push_back(i);
    else if (all.has_every)
      return refusal{"it names all steps and some of them"};
    if (has_in_order_)
      return one_by_one(std::move(steps));
    drop_repeated(steps);
    if (steps.size() < 2)
      return refusal{"it names one step only"};
    return ordering{std::move(steps)};
  }

  static read_result<ordering> one_by_one(std::vector<std::uint32_t> steps) {
    ordering out;
    for (const auto step : steps)
      out.push_back({step});
    if (out.size() < 2)
      return refusal{"it names one step only"};
    return out;
  }

  read_result<ordering> read_chain(const positions& at) {
    const auto connective = *word_of(parts_[at.front()]);
    ordering out;
    side before;
    for (std::size_t i = 0; i <= at.size(); ++i) {
      const auto begin = i == 0 ? 0 : at[i - 1] + 1;
      const auto end = i == at.size() ? parts_.size() : at[i];
      side now;
      if (auto wrong = read_side(parts(parts_).subspan(begin, end - begin), connective, now))
        return *wrong;
      const bool is_inner = i > 0 && i < at.size();
      if (is_inner && (now.groups > 1 || (connective != word_class::then && now.steps.size() > 1)))
        return refusal{"it may be one order or several"};
      if (i > 0)
        if (auto wrong = check_pair(connective, before, now))
          return *wrong;
      out.push_back(now.steps);
      before = std::move(now);
    }
    return out;
  }

  read_result<ordering> read_pair(std::size_t at) {
    const auto connective = *word_of(parts_[at]);
    const auto all = parts(parts_);
    const auto is_steps = [](const sentence_part& part) { return part.steps() != nullptr; };
    side main;
    side other;
    if (opens_clause(connective) && std::ranges::none_of(all.first(at), is_steps)) {
      if (auto wrong = read_with_clause_first(at, main, other))
        return *wrong;
    } else {
      if (auto wrong = read_side(all.first(at), connective, main))
        return *wrong;
      if (auto wrong = read_side(all.subspan(at + 1), connective, other))
        return *wrong;
    }
    auto how = check_pair_with_modality(connective, main, other);
    if (!how)
      return how.error();
    if (*how == main_first)
      return ordering{std::move(main.steps), std::move(other.steps)};
    return ordering{std::move(other.steps), std::move(main.steps)};
  }

  /// "After step 1, do step 2": a comma ends the first side. Without one it ends with its steps,
  /// and no moment may be between the sides: it could belong to either.
  std::optional<refusal> read_with_clause_first(std::size_t at, side& main, side& other) {
    const auto all = parts(parts_);
    const auto connective = *word_of(parts_[at]);
    auto end = at + 1;
    while (end < all.size() && all[end].steps() == nullptr)
      ++end;
    const auto first_steps = end;
    while (end < all.size()
           && (all[end].steps() != nullptr || all[end].is_word(word_class::conjunction)))
      ++end;
    auto comma = first_steps;
    while (comma < all.size() && !all[comma].is_comma())
      ++comma;
    if (comma < all.size()) {
      end = comma;
    } else {
      for (auto i = end; i < all.size() && all[i].steps() == nullptr; ++i)
        if (all[i].is_word(word_class::start) || all[i].is_word(word_class::end))
          return refusal{"a comma is missing between its two sides"};
    }
    if (auto wrong = read_side(all.subspan(at + 1, end - at - 1), connective, other))
      return wrong;
    std::vector<sentence_part> rest(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at));
    rest.insert(rest.end(), all.begin() + static_cast<std::ptrdiff_t>(end), all.end());
    if (auto wrong = read_side(rest, connective, main))
      return wrong;
    if (main.groups > 1)
      return refusal{"it is not clear which steps come behind " + quoted(parts_[at].text)};
    return std::nullopt;
  }

  std::optional<refusal> read_side(parts all, word_class connective, side& into) const {
    // "and then"
    if (connective == word_class::then && !all.empty()
        && all.back().is_word(word_class::conjunction))
      all = all.first(all.size() - 1);
    if (auto wrong = side_reader{}.read(all, into))
      return wrong;
    if (into.has_every)
      return refusal{"\"all steps\" stand on one side of an order"};
    if (into.waits && connective != word_class::until)
      return refusal{"\"wait\" is known only before \"until\""};
    return std::nullopt;
  }

  static std::optional<refusal> check_pair(word_class connective, const side& main,
                                           const side& other) {
    auto how = check_pair_with_modality(connective, main, other);
    if (!how)
      return how.error();
    if (*how != main_first)
      return refusal{"it may be one order or several"};
    return std::nullopt;
  }

  static read_result<meaning> check_pair_with_modality(word_class connective, const side& main,
                                                       const side& other) {
    auto judged = main;
    if (opens_clause(connective)) {
      // "Step 1 must be done before step 2 can start" is as good as without "can".
      const bool allows_only = other.must + other.only + other.must_not + other.need_not == 0;
      if (has_modality(other)
          && (connective != word_class::before || !allows_only || main.may + main.only > 0))
        return refusal{"both sides say what must, may or need not be"};
    } else {
      judged.must += other.must;
      judged.may += other.may;
      judged.only += other.only;
      judged.must_not += other.must_not;
      judged.need_not += other.need_not;
    }
    const auto how = modality_of(judged);
    if (!how)
      return how.error();
    const auto with = *how;
    const auto& row = row_of(connective);
    const auto says = row.says[static_cast<std::size_t>(with)];
    if (says == refused)
      return refusal{why_refused(word_for(connective), with)};
    const bool is_denied = with == modality::must_not;
    if (connective == word_class::until && (is_denied == main.waits || other.waits))
      return refusal{"\"until\" is known with \"wait\" or \"do not\", and one of them"};
    if (connective == word_class::then
        && ((main.has_start && !main.has_end) || (other.has_start && !other.has_end)))
      return refusal{"it speaks of the start of a step, not of its end"};
    if (auto wrong = check_moments(is_denied ? row.refused_moments_denied : row.refused_moments,
                                   main, other))
      return *wrong;
    return says;
  }

  static std::optional<refusal> check_modality(word_class connective, const side& all) {
    const auto how = modality_of(all);
    if (!how)
      return how.error();
    const auto with = *how;
    if (row_of(connective).says[static_cast<std::size_t>(with)] == refused)
      return refusal{why_refused(word_for(connective), with)};
    return std::nullopt;
  }

  static std::string word_for(word_class connective) {
    return std::string(std::ranges::find(order_phrases(), connective, &phrase::meaning)->words);
  }

  std::vector<sentence_part> parts_;
  const step_names& names_;
  bool has_together_ = false;
  bool has_during_ = false;
  bool has_in_order_ = false;
};

} // namespace

std::span<const meaning_row> meaning_table() noexcept {
  return meanings;
}

read_result<ordering> read_order_sentence(std::string_view sentence, const step_names& steps,
                                          bare_numbers rule) {
  auto all = parts_of_sentence(sentence, steps, rule);
  if (!all)
    return all.error();
  return sentence_reader(std::move(*all), steps).read();
}

} // namespace troupe::planner
