# Everything the library links against, found in one place; installed beside troupeConfig.cmake, which includes it to find the same
# again. All of it comes from Debian 12's packages; the list with the reasons stands in docs/decisions/001-dependencies.md.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json system url)
find_package(RocksDB REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)

# CAF: Debian ships 0.17.6 without CMake files; CAF 1.x brings its own (CAFConfig.cmake) and wins if it is found, by
# -DCAF_ROOT=PREFIX or CMAKE_PREFIX_PATH. troupe::caf is imported, so that an install tree refers to it by name only.
if(NOT TARGET troupe::caf)
  if(NOT DEFINED TROUPE_CAF_PACKAGE_DIR)
    find_package(CAF QUIET COMPONENTS core)
    set(TROUPE_CAF_PACKAGE_DIR "${CAF_DIR}")
  elseif(TROUPE_CAF_PACKAGE_DIR)
    find_package(CAF REQUIRED COMPONENTS core HINTS "${TROUPE_CAF_PACKAGE_DIR}")
  endif()
  add_library(troupe::caf INTERFACE IMPORTED GLOBAL)
  if(TARGET CAF::core)
    target_link_libraries(troupe::caf INTERFACE CAF::core)
    message(STATUS "Actors: CAF ${CAF_VERSION}")
  else()
    set(TROUPE_CAF_PACKAGE_DIR "")
    find_path(TROUPE_CAF_INCLUDE_DIR caf/all.hpp REQUIRED)
    find_library(TROUPE_CAF_CORE_LIBRARY caf_core REQUIRED)
    mark_as_advanced(TROUPE_CAF_INCLUDE_DIR TROUPE_CAF_CORE_LIBRARY)
    target_include_directories(troupe::caf SYSTEM INTERFACE ${TROUPE_CAF_INCLUDE_DIR})
    target_link_libraries(troupe::caf INTERFACE ${TROUPE_CAF_CORE_LIBRARY} Threads::Threads)
    message(STATUS "Actors: the system's CAF (${TROUPE_CAF_CORE_LIBRARY})")
  endif()
endif()
