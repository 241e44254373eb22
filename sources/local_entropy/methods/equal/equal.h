// Equality counts: windows of few cells, of any number of levels, in the memory of a GPU.
#pragma once

#include "local_entropy/methods/method.h"

namespace local_entropy
{

const Method &equalMethod();

} // namespace local_entropy
