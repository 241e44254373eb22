// What tests of Engine::enqueue have in common.
#pragma once

#include "common/devices.h"
#include "local_entropy/engine.h"
#include "messages.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>

/// The filter of the assignment.
inline local_entropy::Filter possible()
{
    local_entropy::Filter filter;
    filter.levels.count = 16;
    filter.nanIsError = true;
    return filter;
}

/// The status of what `call` throws, whose sentence must hold `part`; Ok if it throws nothing.
inline local_entropy::Status statusOf(const std::function<void()> &call, const std::string &part)
{
    try {
        call();
    } catch (const local_entropy::Error &error) {
        EXPECT_TRUE(holds(error.what(), part)) << error.what();
        return error.status();
    }
    return local_entropy::Status::Ok;
}

/// Without a GPU each test is skipped by name.
class EngineEnqueue : public testing::Test
{
protected:
    void SetUp() override
    {
        if (common::deviceCount() == 0) GTEST_SKIP() << common::whyNoDevice();
    }
};
