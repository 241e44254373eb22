// Images, footprints and results as files, for other programs that compute the same.
#pragma once

#include "bench/filter_options.h"

namespace bench
{

/// Writes into the directory options.images, which is made if it is not there, for each case, with
/// the first of options.contents: NAME.image.npy, NAME.footprint.npy (uint8, 0 and 1) and
/// NAME.result.npy (float32, base 2); then cases.csv with a row a case: case, type, levels, window,
/// content. Throws common::Error.
void writeImages(const FilterOptions &options);

} // namespace bench
