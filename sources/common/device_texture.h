// Texture objects: read-only views of device memory that go through the texture units.
#pragma once

#include "common/cuda_check.h"

#include <cstddef>
#include <string>

namespace common
{

/// Owns a texture object: read by element, no filtering, coordinates in elements.
class Texture
{
public:
    explicit Texture(const cudaResourceDesc &resource)
    {
        cudaTextureDesc texture{};
        texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
        texture.filterMode = cudaFilterModePoint;
        texture.readMode = cudaReadModeElementType;
        CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    }
    ~Texture() { quietly(cudaDestroyTextureObject(object)); }
    Texture(const Texture &) = delete;
    Texture &operator=(const Texture &) = delete;

    cudaTextureObject_t get() const { return object; }

private:
    cudaTextureObject_t object = 0;
};

/// View of `size` floats in linear device memory; read with tex1Dfetch<float>(texture, i).
inline cudaResourceDesc linearResource(float *device, std::size_t size)
{
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = size * sizeof(float);
    return resource;
}

/// Owns a 2-D array in the texture units' own layout, filled from `host` (height rows of width
/// floats); read with tex2D<float>(texture, x + 0.5f, y + 0.5f). Throws Unavailable where the array
/// is larger than a texture can be.
class TextureArray
{
public:
    TextureArray(const float *host, int width, int height)
    {
        checkLimits(width, height);
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        CUDA_CHECK(cudaMallocArray(&array, &format, width, height));
        const std::size_t rowBytes = width * sizeof(float);
        const cudaError_t status = cudaMemcpy2DToArray(array, 0, 0, host, rowBytes, rowBytes,
                                                       height, cudaMemcpyHostToDevice);
        if (status != cudaSuccess) {
            quietly(cudaFreeArray(array));
            cudaCheck(status, "cudaMemcpy2DToArray", __FILE__, __LINE__);
        }
    }
    ~TextureArray() { quietly(cudaFreeArray(array)); }
    TextureArray(const TextureArray &) = delete;
    TextureArray &operator=(const TextureArray &) = delete;

    cudaResourceDesc resource() const
    {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        return resource;
    }

private:
    static void checkLimits(int width, int height)
    {
        int device = 0, widest = 0, highest = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(cudaDeviceGetAttribute(&widest, cudaDevAttrMaxTexture2DWidth, device));
        CUDA_CHECK(cudaDeviceGetAttribute(&highest, cudaDevAttrMaxTexture2DHeight, device));
        if (width > widest || height > highest)
            throw Unavailable("an array of " + std::to_string(width) + " x " +
                              std::to_string(height) + " cells is beyond this GPU's textures of " +
                              std::to_string(widest) + " x " + std::to_string(highest));
    }

    cudaArray_t array{};
};

} // namespace common
