# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE_DIR=... -DOUTPUT=... [-DGIT_SHA=... -DGIT_DIRTY=...] -P git_stamp.cmake
# Writes the commit and whether tracked files differ from it into a C++ file, and touches that file
# only where its content changes. Outside a git checkout of lufact itself it takes GIT_SHA and
# GIT_DIRTY, which whoever packs the sources may pass, or says "unknown".
function(ask_git result)
  execute_process(COMMAND git --no-optional-locks -C "${SOURCE_DIR}" ${ARGN} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0)
    set(${result} "${output}" PARENT_SCOPE)
  else()
    set(${result} "unknown" PARENT_SCOPE)
  endif()
endfunction()

set(sha "unknown")
set(dirty -1)
# Sources unpacked inside somebody else's repository must not take that repository's commit.
ask_git(top rev-parse --show-toplevel)
file(REAL_PATH "${SOURCE_DIR}" source)
if(top STREQUAL source)
  ask_git(sha rev-parse HEAD)
  ask_git(changes status --porcelain --untracked-files=no)
  if(changes STREQUAL "")
    set(dirty 0)
  elseif(NOT changes STREQUAL "unknown")
    set(dirty 1)
  endif()
elseif(GIT_SHA)
  set(sha "${GIT_SHA}")
  if(NOT GIT_DIRTY STREQUAL "")
    if(GIT_DIRTY)
      set(dirty 1)
    else()
      set(dirty 0)
    endif()
  endif()
endif()
if(sha STREQUAL "unknown")
  set(dirty -1)
endif()

set(content "// Written by core/report/git_stamp.cmake.
namespace lufact {
extern const char* const stamped_git_sha;
extern const int stamped_git_dirty;
const char* const stamped_git_sha = \"${sha}\";
const int stamped_git_dirty = ${dirty};
}  // namespace lufact
")
set(former "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" former)
endif()
if(NOT former STREQUAL content)
  file(WRITE "${OUTPUT}" "${content}")
endif()
