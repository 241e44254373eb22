// Every window there can be, by short names.
#pragma once

#include "entropy/windows.h"

using entropy::Counts;
using entropy::entropyOf;
using entropy::FloatSum;
using entropy::multiplyAdd;
using entropy::partitions;
