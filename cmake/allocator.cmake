# troupe_allocator: what the programs of this tree allocate with; docs/decisions/003-allocator.md says why. Linked into executables only. The
# libraries do not name it, so that a program that uses Troupe as a library keeps its own allocator.
option(TROUPE_JEMALLOC "Link jemalloc into the programs, if it is installed" ON)

add_library(troupe_allocator INTERFACE)
if(TROUPE_JEMALLOC AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize") # sanitizers bring their own
  find_path(TROUPE_JEMALLOC_INCLUDE_DIR jemalloc/jemalloc.h)
  find_library(TROUPE_JEMALLOC_LIBRARY jemalloc)
  mark_as_advanced(TROUPE_JEMALLOC_INCLUDE_DIR TROUPE_JEMALLOC_LIBRARY)
  if(TROUPE_JEMALLOC_INCLUDE_DIR AND TROUPE_JEMALLOC_LIBRARY)
    target_link_libraries(troupe_allocator INTERFACE ${TROUPE_JEMALLOC_LIBRARY})
    target_include_directories(troupe_allocator SYSTEM INTERFACE ${TROUPE_JEMALLOC_INCLUDE_DIR})
    target_compile_definitions(troupe_allocator INTERFACE TROUPE_HAS_JEMALLOC)
  endif()
endif()
get_target_property(linked troupe_allocator INTERFACE_LINK_LIBRARIES)
if(linked)
  message(STATUS "Allocator: ${linked}")
else()
  message(STATUS "Allocator: the C library's")
endif()
