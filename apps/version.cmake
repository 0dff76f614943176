# Run at build time (cmake -P): writes OUTPUT, touching it only when something changed.
# In: SOURCE_DIR, OUTPUT, VERSION, CAF_VERSION.
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE_DIR}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
set(text "#pragma once
#define TROUPE_VERSION \"${VERSION}\"
#define TROUPE_COMMIT \"${commit}\"
#define TROUPE_CAF_VERSION \"${CAF_VERSION}\"
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
