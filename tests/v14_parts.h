// What v14 does with so many parts as it is told, however many GPUs there are.
#pragma once

namespace v14
{
void cudaCallbackParts(int width, int height, float *sample, float *output, int parts);
}
