# What every target shares.

add_library(rw_options INTERFACE)
target_include_directories(rw_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(rw_options INTERFACE -Wall -Wextra -Wno-missing-field-initializers -ffp-contract=off)
# Debian has fmt in a shared library, or as headers.
target_link_libraries(rw_options INTERFACE $<IF:$<BOOL:${ROPEWALK_SELF_CONTAINED}>,fmt::fmt-header-only,fmt::fmt>)
if(ROPEWALK_SELF_CONTAINED)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
if(ROPEWALK_SANITIZE)
  target_compile_options(rw_options INTERFACE -fsanitize=${ROPEWALK_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(rw_options INTERFACE -fsanitize=${ROPEWALK_SANITIZE})
endif()

# Headers that nearly every C++ file includes are read once. A compiler cache does better without.
set(ROPEWALK_COMMON_HEADERS <algorithm> <cstring> <functional> <map> <memory> <optional> <set> <string> <variant> <vector>
    <fmt/format.h>)
function(ropewalk_read_once target from)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} REUSE_FROM ${from})
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.c$")
    set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  file(WRITE ${CMAKE_BINARY_DIR}/headers.cpp "")
  add_library(rw_headers OBJECT ${CMAKE_BINARY_DIR}/headers.cpp)
  target_link_libraries(rw_headers PRIVATE rw_options)
  target_precompile_headers(rw_headers PRIVATE ${ROPEWALK_COMMON_HEADERS})
endif()

# Several files are compiled as one, which halves the time of a first build: their own names differ. A compiler cache wants
# them apart.
function(ropewalk_compile_together target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()

# ropewalk_library(NAME [TOGETHER] SOURCES ... LINKS ...): one folder, one library. TOGETHER: several files are compiled as
# one.
function(ropewalk_library name)
  cmake_parse_arguments(arg "TOGETHER" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC rw_options ${arg_LINKS})
  ropewalk_read_once(${name} rw_headers)
  if(arg_TOGETHER)
    ropewalk_compile_together(${name})
  endif()
endfunction()

# What runs once a command rather than once a case: its first build matters more than its speed.
function(ropewalk_build_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
endfunction()

# What goes over elements one by one: its loops become vectors.
function(ropewalk_build_vectors target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()

# ropewalk_test(NAME SOURCES ... LINKS ...): one test program, found test by test.
function(ropewalk_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE rw_options GTest::gtest_main ${arg_LINKS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ROPEWALK_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             ROPEWALK_BINARY_DIR="${CMAKE_BINARY_DIR}")
  ropewalk_read_once(${name} rw_test_headers)
  ropewalk_compile_together(${name})
  ropewalk_build_quickly(${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()
