// The method for few levels: counts every level in all windows, by box sums whose cost hardly
// depends on the window. See box.h.
#pragma once

#include "local_entropy/methods/method.h"

namespace local_entropy
{

const Method &levelsMethod();

} // namespace local_entropy
