# troupe_room(NAME PUBLIC_HEADERS ... HEADERS ... SOURCES ... LINK ... [PRIVATE_LINK ...])
#
# Declares the static library troupe_NAME (alias troupe::NAME) for one room. PUBLIC_HEADERS stand in include/troupe/NAME/, are
# included as <troupe/NAME/file.hpp> and are installed. HEADERS stand in the room, are included as "NAME/file.hpp" and are not.
add_library(troupe_compile_options INTERFACE)
target_compile_options(troupe_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast)
if(TROUPE_WARNINGS_AS_ERRORS)
  target_compile_options(troupe_compile_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # GCC 12 and 13 report false positives of these three from inside the standard library and Boost at -O2 and above.
  target_compile_options(troupe_compile_options INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow)
endif()

# Several sources compiled as one take far less time (the presets asan-ubsan and tsan; the tests in continuous integration). A local
# name may then hide a name of another source, and a type in an anonymous namespace stands in an included file. The build of each
# source alone checks both.
target_compile_options(troupe_compile_options INTERFACE
  "$<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow;-Wno-subobject-linkage>")

# The sources of `target` are compiled twelve at a time, which takes 1 to 2 GB.
function(troupe_unity_build target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
endfunction()

function(troupe_room name)
  cmake_parse_arguments(ROOM "" "" "PUBLIC_HEADERS;HEADERS;SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  set(target troupe_${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  add_library(troupe::${name} ALIAS ${target})
  if(TROUPE_UNITY_BUILD)
    troupe_unity_build(${target})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
  list(TRANSFORM ROOM_PUBLIC_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/troupe/${name}/)
  target_sources(${target} PUBLIC
    FILE_SET public_headers TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${ROOM_PUBLIC_HEADERS})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                              $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${ROOM_LINK}
                                  PRIVATE $<BUILD_INTERFACE:troupe_compile_options> ${ROOM_PRIVATE_LINK})
  # The room's own headers have a target of their own: it is never exported, only checked to compile alone.
  add_library(${target}_headers INTERFACE)
  set_target_properties(${target}_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  target_sources(${target}_headers INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ROOM_HEADERS})
  target_link_libraries(${target}_headers INTERFACE ${target} ${ROOM_PRIVATE_LINK})
endfunction()
