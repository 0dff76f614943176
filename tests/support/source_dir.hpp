// Where the checkout lies that the tests were built from: for tests that read its documents and
// data.
#pragma once

#include <string>

namespace troupe::testing {

/// Without a slash at the end. A function, and not a macro: the place stands in one object, and all
/// others are the same in each checkout, so that these share a compiler cache.
[[nodiscard]] std::string source_dir();

} // namespace troupe::testing
