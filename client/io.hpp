// The Asio types this room uses, with the concrete executor everywhere: the type-erased default
// costs an allocation and a virtual call per operation.
//
// A rule for coroutines in this room: no `co_await` inside the condition of an `if` or `while`, nor
// beside `&&`, `||` or `?:`. GCC 12 lays out such frames wrongly (a relative of GCC bug 105287):
// the frame is overwritten while it runs. Nor a braced list (`f({})`) as an argument of a
// coroutine: its temporary is copied as bytes.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>

namespace troupe::net {

namespace asio = boost::asio;

using error_code = boost::system::error_code;
using io_executor = asio::io_context::executor_type;
using tcp_socket = asio::basic_stream_socket<asio::ip::tcp, io_executor>;
using steady_clock = std::chrono::steady_clock;
using time_point = steady_clock::time_point;

template<class T>
using awaitable = asio::awaitable<T, io_executor>;

inline constexpr asio::use_awaitable_t<io_executor> use_awaitable;

} // namespace troupe::net
