// The functions of a source file that stand in a namespace, found in its text: enough to hold their
// names against each other, not a parser.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::house {

struct named_function {
  std::string name;
  std::string scope; ///< Its namespaces, without those that have no name: `troupe::net`.
  bool is_local;     ///< It stands in a namespace without a name, or is `static`.
  std::size_t line;  ///< On which it begins.
};

/// Those that are declared or defined in `code` (of code_of). Members of classes and operators are
/// left out, and so are definitions with a qualified name.
[[nodiscard]] std::vector<named_function> functions_of(std::string_view code);

/// Whether a source that is compiled together with the local function might call it in place of the
/// public one: it is found in the same namespace, or before it in an inner one.
[[nodiscard]] bool may_hide(const named_function& local, const named_function& shared);

} // namespace troupe::house
