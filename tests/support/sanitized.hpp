// Whether a sanitizer watches the tests.
#pragma once

namespace troupe::testing {

/// True under a sanitizer, where a store takes ten times as long to open: tests that open one for
/// each of many places take fewer places.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

} // namespace troupe::testing
