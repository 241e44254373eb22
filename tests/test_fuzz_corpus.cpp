// What fuzzers have kept, and what they have found: every file of tests/fuzz/corpus once more.
#include "fuzz/targets.h"
#include "temporary.h"

#include <filesystem>
#include <gtest/gtest.h>

TEST(FuzzCorpus, OfEveryTargetIsClean)
{
    for (const fuzz::Target &target : fuzz::kTargets) {
        int files = 0;
        const std::string folder = std::string("tests/fuzz/corpus/") + target.name;
        for (const auto &entry : std::filesystem::directory_iterator(folder)) {
            const std::string bytes = contentsOf(entry.path());
            SCOPED_TRACE(entry.path().string());
            const auto *data = reinterpret_cast<const std::uint8_t *>(bytes.data());
            EXPECT_NO_THROW(target.run(data, bytes.size()));
            ++files;
        }
        EXPECT_GT(files, 0) << folder;
    }
}
