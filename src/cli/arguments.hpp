#pragma once
// Hides secrets in the process's own argument list, which other users can read as long as the process runs.

namespace pawl::cli {

// Overwrites the value of --token and the passwords in store addresses. Copy the words before the call.
void hide_secrets(int count, char** words);

}  // namespace pawl::cli
