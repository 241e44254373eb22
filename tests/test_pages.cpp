// Pages that are handed out beforehand: those that are there keep what they hold.
#include "entropy/pages.h"
#include "entropy/result_memory.h"
#include "sanitized.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <new>
#include <omp.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace
{

constexpr std::size_t kHugePage = std::size_t(2) << 20, kHugePages = 32;

/// Huge pages of fresh memory, between others that nobody may touch.
class FreshPages
{
public:
    FreshPages()
        : memory(mmap(nullptr, (kHugePages + 3) * kHugePage, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    {
        if (memory == MAP_FAILED) throw std::bad_alloc();
        const auto address = reinterpret_cast<std::uintptr_t>(memory);
        begin = reinterpret_cast<char *>((address / kHugePage + 2) * kHugePage);
        // The page behind is mapped, so that a step past the end leaves its trace there.
        if (mprotect(begin, (kHugePages + 1) * kHugePage, PROT_READ | PROT_WRITE) != 0)
            throw std::bad_alloc();
    }
    ~FreshPages() { munmap(memory, (kHugePages + 3) * kHugePage); }
    FreshPages(const FreshPages &) = delete;
    FreshPages &operator=(const FreshPages &) = delete;

    char *at(std::size_t page) const { return begin + page * kHugePage; }
    std::uint32_t *words(std::size_t page) const
    {
        return reinterpret_cast<std::uint32_t *>(at(page));
    }
    /// Small pages of a huge one that have memory.
    std::size_t there(std::size_t page) const
    {
        std::vector<unsigned char> pages(kHugePage / sysconf(_SC_PAGESIZE));
        EXPECT_EQ(mincore(at(page), kHugePage, pages.data()), 0);
        std::size_t count = 0;
        for (const unsigned char one : pages) count += one & 1;
        return count;
    }

private:
    void *memory;
    char *begin;
};

/// Whether the system hands out what was not touched, and tells what it has handed out.
bool canPopulate()
{
#ifdef MADV_POPULATE_WRITE
    const FreshPages pages;
    return pages.there(0) == 0 && madvise(pages.at(0), kHugePage, MADV_POPULATE_WRITE) == 0 &&
           pages.there(0) > 0;
#else
    return false;
#endif
}

std::uint32_t patternOf(std::size_t page, std::size_t word)
{
    return static_cast<std::uint32_t>(page * 7919 + word * 31 + 1);
}

/// Four threads, while it lives.
class FourThreads
{
public:
    FourThreads() { omp_set_num_threads(4); }
    ~FourThreads() { omp_set_num_threads(before); }
    FourThreads(const FourThreads &) = delete;
    FourThreads &operator=(const FourThreads &) = delete;

private:
    const int before = omp_get_max_threads();
};

constexpr std::size_t kWords = kHugePage / sizeof(std::uint32_t);

/// Those that were there before: every third, so that no step of two comes by all others.
bool isTouched(std::size_t page) { return page % 3 == 0; }

void touch(const FreshPages &pages)
{
    for (std::size_t page = 0; page < kHugePages; ++page)
        for (std::size_t word = 0; isTouched(page) && word < kWords; ++word)
            pages.words(page)[word] = patternOf(page, word);
}

TEST(Pages, KeepWhatTheyHold)
{
    const FourThreads threads;
    const FreshPages pages;
    touch(pages);
    entropy::populatePages(pages.at(0), kHugePages * kHugePage);
    for (std::size_t page = 0; page < kHugePages; ++page) {
        std::size_t wrong = 0;
        for (std::size_t word = 0; word < kWords; ++word)
            wrong += pages.words(page)[word] != (isTouched(page) ? patternOf(page, word) : 0);
        EXPECT_EQ(wrong, 0u) << "huge page " << page;
    }
}

TEST(Pages, AreAllThereAndNoneBehind)
{
    if (!canPopulate()) GTEST_SKIP() << "this system does not hand out pages beforehand";
    const FourThreads threads;
    const std::size_t whole = kHugePage / sysconf(_SC_PAGESIZE);
    const FreshPages pages;
    touch(pages);
    // Of the first, a part is another's: nothing is done for it.
    entropy::populatePages(pages.at(1) + 4096, (kHugePages - 1) * kHugePage - 4096);
    EXPECT_EQ(pages.there(1), 0u);
    for (std::size_t page = 2; page < kHugePages; ++page)
        EXPECT_EQ(pages.there(page), whole) << "huge page " << page;
    EXPECT_EQ(pages.there(kHugePages), 0u) << "behind the end";
}

// From 16 MiB on: for less, threads cost more than they bring.
TEST(Pages, OfLittleMemoryComeWhenTheyAreWrittenTo)
{
    if (!canPopulate()) GTEST_SKIP() << "this system does not hand out pages beforehand";
    const FourThreads threads;
    const FreshPages pages;
    entropy::populatePages(pages.at(0), 8 * kHugePage);
    EXPECT_GT(pages.there(0), 0u);
    EXPECT_GT(pages.there(7), 0u);
    entropy::populatePages(pages.at(16), 8 * kHugePage - 1);
    EXPECT_EQ(pages.there(16), 0u);
}

TEST(Pages, OfAnySizeAreLeftAsTheyWere)
{
    std::vector<std::uint32_t> memory(5 << 20); // 20 MiB
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<std::uint32_t>(i * 7919);
    const std::vector<std::uint32_t> before = memory;
    for (const std::size_t first : {0, 1, 1000})
        for (const std::size_t size :
             {std::size_t(0), std::size_t(1), std::size_t(1) << 20, memory.size() - 1000})
            entropy::populatePages(&memory[first], size * sizeof memory[0]);
    EXPECT_TRUE(memory == before);
}

} // namespace

// What is kept for the next result of its size lies where free() leaves it.
TEST(Pages, OfResultsThatAreKeptLieInTheHeap)
{
#ifdef __GLIBC__
    const auto mappings = mallinfo2().hblks;
    const auto result = entropy::allocateResult((std::size_t(40) << 20) / sizeof(float));
    EXPECT_EQ(mallinfo2().hblks, mappings);
#else
    GTEST_SKIP() << "needs glibc";
#endif
}

// What is larger than all that is kept is a mapping of its own, which free() gives back.
TEST(Pages, OfResultsTooLargeToKeepGoBack)
{
#ifdef __GLIBC__
    if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer has a heap of its own";
    constexpr std::size_t kLargestKept = std::size_t(2) << 30;
    if (sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE) < 2 * static_cast<long>(kLargestKept))
        GTEST_SKIP() << "needs 4 GiB of free memory";
    const auto mappings = mallinfo2().hblks;
    const auto result = entropy::allocateResult(kLargestKept / sizeof(float) + 1);
    EXPECT_EQ(mallinfo2().hblks, mappings + 1);
#else
    GTEST_SKIP() << "needs glibc";
#endif
}

// Of other memory, less than 32 MiB is the heap's too from then on, and stays when it is freed.
TEST(PagesDeathTest, OfOtherMemoryAreOfTheHeapBelow32MiB)
{
#ifdef __GLIBC__
    if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer has a heap of its own";
    const auto mapped = [] {
        const auto result = entropy::allocateResult((std::size_t(20) << 20) / sizeof(float));
        int count = 0;
        for (const std::size_t megabytes : {1, 8, 31, 33, 64}) {
            const auto before = mallinfo2().hblks;
            void *volatile memory =
                std::malloc(megabytes << 20); // not freed: it would be used again
            count = 2 * count + (memory && mallinfo2().hblks > before);
        }
        return count;
    };
    EXPECT_EXIT(std::exit(mapped()), testing::ExitedWithCode(0b00011), "");
#else
    GTEST_SKIP() << "needs glibc";
#endif
}

// In a process of its own, since the heap of this one would keep it.
TEST(PagesDeathTest, OfTheLargestResultThatIsKeptAreOfTheHeap)
{
#ifdef __GLIBC__
    constexpr std::size_t kLargestKept = std::size_t(2) << 30;
    if (sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE) < 2 * static_cast<long>(kLargestKept))
        GTEST_SKIP() << "needs 4 GiB of free memory";
    const auto mappingsMore = [] {
        const auto before = mallinfo2().hblks;
        const auto result = entropy::allocateResult(kLargestKept / sizeof(float));
        return static_cast<int>(mallinfo2().hblks - before);
    };
    EXPECT_EXIT(std::exit(mappingsMore()), testing::ExitedWithCode(0), "");
#else
    GTEST_SKIP() << "needs glibc";
#endif
}
