// A make that knows nothing of the one that runs the tests.
#pragma once

#include <string>

/// Without its settings and flags, which would reach it by MAKEFLAGS and the environment, such as
/// SANITIZE=thread. More settings of the environment may follow the first.
inline const std::string kOwnEnvironment = "env -i PATH=\"$PATH\" ";
inline const std::string kOwnMake = kOwnEnvironment + "make ";
