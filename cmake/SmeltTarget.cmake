# What every target of the project is compiled with. CUDA sources keep to their compiler's own
# warnings: host warnings fire inside the code that nvcc generates.
function(smelt_target_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    # Fused multiply-adds would round results differently from one machine to the next.
    $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SMELT_WARNINGS_AS_ERRORS}>>:-Werror>)
endfunction()

# smelt_link_private(TARGET LIBRARIES...): header-only libraries that TARGET's sources include and
# its public headers do not. An installed package neither names them nor needs them.
function(smelt_link_private target)
  foreach(library IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
endfunction()

# smelt_precompile(TARGET HEADERS...): with SMELT_PRECOMPILE, parses these headers once for the whole
# target. Sources include what they use all the same: a build without the option finds what is missing.
# Not with warnings as errors: g++ 12 then warns of bounds inside std::string that hold.
option(SMELT_PRECOMPILE "Precompile the headers that most sources include" OFF)
function(smelt_precompile target)
  if(SMELT_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
set(SMELT_COMMON_HEADERS <algorithm> <cmath> <filesystem> <functional> <map> <memory> <optional>
  <string> <string_view> <variant> <vector> <fmt/format.h>)
