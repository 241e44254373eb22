// The C interface of GPUs, as far as it goes without one, and of NaN as an error.
#include "c_interface.h"

#include <limits>
#include <string>

namespace
{

/// A call of floats that le_enqueue() would do, if they were in the memory of a GPU.
class CInterfaceDevices : public CInterface
{
protected:
    CInterfaceDevices()
    {
        for (int i = 0; i < kWidth * kHeight; ++i) floats[i] = static_cast<float>(i * i % 9);
        image = {floats, LE_FLOAT32, kWidth, kHeight, 0};
        result.stride = 0;
        filter.levels = 16;
        filter.nan_is_error = 1;
    }

    le_status enqueue()
    {
        return le_enqueue(engine, &filter, &image, mask, region, &result, options, nullptr);
    }

    float floats[kWidth * kHeight];
};

} // namespace

TEST_F(CInterfaceDevices, NaNIsAnErrorWhereThatIsWanted)
{
    floats[2 * kWidth + 3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(run(), LE_BAD_LEVEL);
    EXPECT_STREQ(le_last_error(), "the cell at x 3, y 2 is nan, expected an integer 0..15");
    filter.nan_is_error = 0;
    EXPECT_EQ(run(), LE_OK) << le_last_error();
}

TEST_F(CInterfaceDevices, AnEngineWithDevicesGivesTheSameBits)
{
    ASSERT_EQ(run(), LE_OK) << le_last_error();
    const std::string expected(reinterpret_cast<char *>(values), sizeof values);
    poison();
    le_engine_options wanted;
    le_engine_options_init(&wanted);
    EXPECT_EQ(wanted.devices, 0);
    wanted.devices = 1;
    le_engine_destroy(engine);
    ASSERT_EQ(le_engine_create(&wanted, &engine), LE_OK) << le_last_error();
    EXPECT_EQ(run(), LE_OK) << le_last_error();
    EXPECT_EQ(std::string(reinterpret_cast<char *>(values), sizeof values), expected);
}

// Without a GPU there is none; with one, this is not its memory.
TEST_F(CInterfaceDevices, HostMemoryIsNotEnqueued)
{
    for (const bool isPart : {false, true}) { // of which the result is as large as that
        if (isPart) region = &part, result.width = part.width, result.height = part.height;
        const le_status status = enqueue();
        EXPECT_TRUE(status == LE_UNAVAILABLE || status == LE_BAD_ARGUMENT) << status;
        const std::string sentence = le_last_error();
        EXPECT_NE(
            sentence.find(status == LE_UNAVAILABLE ? "enqueue needs " : "in the memory of a GPU"),
            std::string::npos)
            << sentence;
        EXPECT_TRUE(nothingWritten());
        EXPECT_EQ(le_synchronize(engine), LE_OK) << le_last_error();
    }
}

TEST_F(CInterfaceDevices, TheBytesOfAWorkspace)
{
    std::size_t bytes = 77;
    const auto ask = [&] {
        return le_workspace_bytes(engine, &filter, &image, mask, region, &result, &bytes);
    };
    filter.width = 7; // 5 x 5 cells of 16 levels need none
    const le_status status = ask();
    if (status == LE_OK)
        EXPECT_GE(bytes, sizeof floats / sizeof *floats);
    else
        expectStatus(LE_UNAVAILABLE, "enqueue needs ", status);
    region = &part;
    result.width = part.width;
    result.height = part.height;
    EXPECT_EQ(ask(), status) << le_last_error();
    part.height = 0;
    expectStatus(LE_BAD_ARGUMENT, "the region is 3 x 0 cells", ask());
    region = nullptr;
    result.width = kWidth;
    result.height = kHeight;
    expectStatus(LE_BAD_ARGUMENT, "bytes is NULL",
                 le_workspace_bytes(engine, &filter, &image, mask, region, &result, nullptr));
    le_image noMask = image;
    noMask.type = LE_FLOAT32;
    mask = &noMask;
    expectStatus(LE_BAD_ARGUMENT, "mask.type is 3", ask());
    mask = nullptr;
    filter.levels = 1;
    expectStatus(LE_BAD_ARGUMENT, "1 levels", ask());
}

TEST_F(CInterfaceDevices, BadArgumentsAreThoseOfRun)
{
    const auto refuse = [&](const std::string &part) {
        expectStatus(LE_BAD_ARGUMENT, part, enqueue());
    };
    EXPECT_EQ(le_synchronize(nullptr), LE_BAD_ARGUMENT);
    EXPECT_STREQ(le_last_error(), "engine is NULL");
    expectStatus(LE_BAD_ARGUMENT, "engine is NULL",
                 le_enqueue(nullptr, &filter, &image, mask, region, &result, nullptr, nullptr));
    expectStatus(LE_BAD_ARGUMENT, "filter is NULL",
                 le_enqueue(engine, nullptr, &image, mask, region, &result, nullptr, nullptr));
    expectStatus(LE_BAD_ARGUMENT, "image is NULL",
                 le_enqueue(engine, &filter, nullptr, mask, region, &result, nullptr, nullptr));
    expectStatus(LE_BAD_ARGUMENT, "result is NULL",
                 le_enqueue(engine, &filter, &image, mask, region, nullptr, nullptr, nullptr));
    counting.type = LE_INT16;
    mask = &counting;
    refuse("mask.type is 2");
    mask = nullptr;
    part.width = 0;
    region = &part;
    refuse("the region is 0 x 2 cells");
    region = nullptr;
    besides.struct_size = 8;
    options = &besides;
    refuse("options.struct_size is 8");
    options = nullptr;
    filter.levels = 1;
    refuse("1 levels");
    filter.levels = 16;
    image.type = LE_FLOAT64;
    refuse("image.type is 5");
    image.type = LE_FLOAT32;
    result.data = floats;
    refuse("the result and the image overlap");
}
