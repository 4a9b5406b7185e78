# pawl_flags: how every target of this repository is compiled and linked.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

# No NDEBUG: assertions of the libraries we use stay on, as our own `ensure` does.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

add_library(pawl_flags INTERFACE)
target_compile_options(pawl_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports overlapping copies inside std::string's own operator+ (GCC bug 105651).
  target_compile_options(pawl_flags INTERFACE -Wno-restrict)
endif()

# __FILE__ relative to the source folder: no clone's path in the program, and one ccache for all clones.
target_compile_options(pawl_flags INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)

if(PAWL_SANITIZE)
  target_compile_options(pawl_flags INTERFACE
    -fsanitize=${PAWL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  if(PAWL_SANITIZE MATCHES undefined)
    # A third of the time of the build, for what AddressSanitizer sees as well.
    target_compile_options(pawl_flags INTERFACE -fno-sanitize=null,alignment,vptr,object-size)
  endif()
  target_link_options(pawl_flags INTERFACE -fsanitize=${PAWL_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The sanitizers' instrumentation makes this warning of g++ report variables that are set.
    target_compile_options(pawl_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
  if(PAWL_CANARIES)
    target_compile_definitions(pawl_flags INTERFACE PAWL_CANARIES)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  # It works on optimized code only, which the tests' own is not.
  target_compile_options(pawl_flags INTERFACE -U_FORTIFY_SOURCE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:PAWL_IS_NOT_OPTIMIZED>>>:-D_FORTIFY_SOURCE=3> -fstack-protector-strong)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(pawl_flags INTERFACE -fcf-protection)
  endif()
  target_link_options(pawl_flags INTERFACE LINKER:-z,relro,-z,now)
endif()
target_compile_definitions(pawl_flags INTERFACE _GLIBCXX_ASSERTIONS)
