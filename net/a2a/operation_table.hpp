// The bindings' columns of the table of operations (actors/service/operation.hpp): under which
// names each operation is asked for, and what serves it. JSON-RPC and REST look a request up here;
// a test holds that no row is missing.
#pragma once

#include "actors/service/operation.hpp"
#include "net/a2a/operation.hpp"
#include "net/a2a/rest_path.hpp"

#include <boost/beast/http/verb.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

/// Under which versions a JSON-RPC method exists.
enum class method_family : std::uint8_t {
  v1_0,      ///< Only with `A2A-Version: 1.0`.
  v0_3,      ///< With `A2A-Version: 0.3`, or without, as the specification reads a missing one.
  extension, ///< Under every supported version, or none named.
};

struct rest_place {
  rest_resource resource;
  std::string_view action; ///< After the colon; empty: none.
  boost::beast::http::verb method;
};

struct operation_binding {
  operation which;
  operation_function serve; ///< Null if neither has it.
  std::string_view rpc_1_0; ///< A2A 1.0 section 9.4; empty: the method is an extension's.
  std::string_view rpc_0_3; ///< A2A 0.3 section 7; empty, too.
  std::string_view rpc_extension;
  /// The same for both versions (A2A 1.0 section 5.3, A2A 0.3 section 3.5.6).
  std::vector<rest_place> rest;
  std::string_view no_rest{}; ///< The reason if the operation is not in REST.
  std::string_view no_rpc{};  ///< The same of JSON-RPC.
};

/// In the order of the enumeration.
[[nodiscard]] std::span<const operation_binding> operation_bindings();

struct rpc_method {
  const operation_binding* row;
  method_family in;
};

/// Nothing if no version has such a method.
[[nodiscard]] std::optional<rpc_method> find_method(std::string_view name);

/// The row; null, and `allowed` says which verbs the path takes (none: there is no such path).
[[nodiscard]] const operation_binding*
find_place(const rest_path& path, boost::beast::http::verb method, std::string& allowed);

} // namespace troupe::net
