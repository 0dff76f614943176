// The one file that compiles Boost.Asio (see BOOST_ASIO_SEPARATE_COMPILATION in
// net/CMakeLists.txt).
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
