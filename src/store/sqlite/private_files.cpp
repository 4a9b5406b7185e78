#include "store/sqlite/private_files.hpp"

#include <sys/stat.h>

namespace pawl::store::sqlite {

// Not open() and close(): closing any descriptor of a file releases the locks that this process's other
// connections hold on it.
void create_private(const std::string& path) { (void)::mknod(path.c_str(), S_IFREG | kPrivateFile, 0); }

}  // namespace pawl::store::sqlite
