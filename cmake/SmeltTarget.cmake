# What every target of the project is compiled with.
function(smelt_target_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           $<$<BOOL:${SMELT_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
