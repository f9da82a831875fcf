# Warnings for the project's own programs. They are no part of formwork::formwork: a user's flags stay the user's.
include(CheckCXXCompilerFlag)

add_library(formwork_warnings INTERFACE)
target_compile_options(formwork_warnings INTERFACE -Wall -Wextra $<$<BOOL:${FORMWORK_DEV_WERROR}>:-Werror>)

check_cxx_compiler_flag(-Wdangling-reference FORMWORK_HAS_DANGLING_REFERENCE)  # g++ 13 and later
if(FORMWORK_HAS_DANGLING_REFERENCE)
  target_compile_options(formwork_warnings INTERFACE -Wdangling-reference)
endif()

# g++ 12 reports overlapping copies inside std::string's operator+ that do not happen (fixed in g++ 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(formwork_warnings INTERFACE -Wno-restrict)
endif()
