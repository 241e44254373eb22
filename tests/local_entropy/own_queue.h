// A queue of tiles without an engine.
#pragma once

#include "local_entropy/schedule/tile_queue.h"

/// Nobody hears of its progress.
class OwnQueue
{
public:
    OwnQueue(const local_entropy::Region &region, local_entropy::TileSize size)
        : progress(nobody, region), queue(region, size, progress)
    {
    }
    local_entropy::TileQueue &operator*() { return queue; }

private:
    const std::function<bool(double)> nobody;
    local_entropy::Progress progress;
    local_entropy::TileQueue queue;
};
