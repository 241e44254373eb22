// What the tests of the C interface share: a call that is right, to be spoiled.
#pragma once

#include "local_entropy/local_entropy.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

/// The bits of `count` values.
template <typename Value>
std::string bits(const Value *values, std::size_t count)
{
    return {reinterpret_cast<const char *>(values), count * sizeof(Value)};
}

/// A call of le_run() on 7 x 5 bytes, of levels 0 to 8, into rows that are 9 floats apart.
class CInterface : public testing::Test
{
protected:
    static constexpr std::int64_t kWidth = 7, kHeight = 5, kStride = 9;

    CInterface()
    {
        for (int i = 0; i < kWidth * kHeight; ++i) cells[i] = static_cast<std::uint8_t>(i * i % 9);
        poison();
        EXPECT_EQ(le_engine_create(nullptr, &engine), LE_OK) << le_last_error();
        EXPECT_EQ(le_filter_init(&filter), LE_OK);
    }
    ~CInterface() override { le_engine_destroy(engine); }

    void poison()
    {
        std::memset(values, 0xff, sizeof values); // NaNs
    }

    /// Whether every value is still what poison() left.
    bool nothingWritten() const
    {
        for (const unsigned char *byte = reinterpret_cast<const unsigned char *>(values),
                                 *end = byte + sizeof values;
             byte != end; ++byte)
            if (*byte != 0xff) return false;
        return true;
    }

    le_status run() { return le_run(engine, &filter, &image, mask, region, &result, options); }

    /// The call is refused with a sentence that holds `part`, and nothing is written.
    void expectStatus(le_status status, const std::string &part, le_status got)
    {
        EXPECT_EQ(got, status) << part << ": " << le_last_error();
        EXPECT_NE(std::string(le_last_error()).find(part), std::string::npos)
            << "'" << le_last_error() << "' does not hold '" << part << "'";
        EXPECT_TRUE(nothingWritten()) << part;
        poison();
    }
    void expectBad(const std::string &part) { expectStatus(LE_BAD_ARGUMENT, part, run()); }

    /// Sets a member, expects refusal, and sets it back.
    template <typename Member, typename Value>
    void expectBad(Member &member, Value value, const std::string &part)
    {
        const Member before = member;
        member = static_cast<Member>(value);
        SCOPED_TRACE(testing::PrintToString(value) + " for: " + part);
        expectBad(part);
        member = before;
    }

    std::uint8_t cells[kWidth * kHeight];
    float values[kStride * kHeight];
    le_engine *engine = nullptr;
    le_filter filter;
    le_image image = {cells, LE_UINT8, kWidth, kHeight, 0};
    le_result result = {values, LE_FLOAT32, kWidth, kHeight, kStride};
    // What tests may point to with the three below.
    le_image counting = {nullptr, LE_UINT8, kWidth, kHeight, 0};
    le_region part = {1, 1, 3, 2};
    le_run_options besides = {sizeof besides, nullptr, nullptr, nullptr, 0};
    const le_image *mask = nullptr;
    const le_region *region = nullptr;
    const le_run_options *options = nullptr;
};
