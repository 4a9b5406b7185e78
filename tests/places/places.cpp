#include "tests/places/places.hpp"

namespace pawl::testing {

std::string source_dir() { return PAWL_SOURCE_DIR; }

std::string pawl_binary() { return PAWL_BINARY; }

std::string sdk_examples_dir() { return PAWL_SDK_EXAMPLES; }

}  // namespace pawl::testing
