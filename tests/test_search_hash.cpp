// What tools/search_hash prints of a hash is true: it is checked here from its truth tables alone.
#include "local_entropy/answers/partitions.h"
#include "messages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using local_entropy::Partition;

/// A line "cost C, D digits: TABLE/DIGITS ...".
struct Hash
{
    struct Sum
    {
        std::uint32_t table;
        int digits;
    };
    double cost = 0;
    int digits = 0;
    std::vector<Sum> sums;

    /// The digits kept of the sums over the levels, those of the first function leftmost.
    std::uint32_t keyOf(const Partition &partition) const
    {
        std::uint32_t key = 0;
        for (const Sum &sum : sums) {
            int count = 0;
            for (int n = 0; n <= local_entropy::kWindowCells; ++n)
                if (sum.table >> n & 1) count += partition.levels[n];
            for (int digit = sum.digits - 1; digit >= 0; --digit)
                key = 2 * key + (count >> digit & 1);
        }
        return key;
    }
};

struct Found
{
    std::string output;
    std::vector<Hash> hashes;
    std::vector<std::uint32_t> fold; ///< masks; empty: none was found
};

Found search(const std::string &arguments)
{
    const Outcome outcome = runCommand(BUILD_DIRECTORY "/search_hash " + arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.errors;
    Found found;
    found.output = outcome.output;
    std::istringstream lines(outcome.output);
    for (std::string line, word; std::getline(lines, line);) {
        std::istringstream words(line);
        words >> word;
        if (word == "fold:")
            while (words >> word) found.fold.push_back(std::stoul(word, nullptr, 16));
        if (word != "cost") continue;
        Hash hash;
        char comma = 0;
        words >> hash.cost >> comma >> hash.digits >> word;
        while (words >> word) {
            const std::size_t slash = word.find('/');
            hash.sums.push_back({static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)),
                                 std::stoi(word.substr(slash + 1))});
        }
        found.hashes.push_back(hash);
    }
    return found;
}

/// Whether no two windows of one size with different entropies get the same number.
template <typename NumberOf>
bool tellsEntropiesApart(NumberOf numberOf)
{
    for (const int cells : local_entropy::windowSizes()) {
        std::map<std::uint32_t, std::array<int, 9>> known;
        for (const Partition &partition : local_entropy::partitionsOf(cells)) {
            const auto entropy = partition.sumOfLogs();
            if (known.emplace(numberOf(partition), entropy).first->second != entropy) return false;
        }
    }
    return true;
}

/// The fewest operations that make each function of the binary digits of a count: and, or, xor and
/// and-not of a digit and what fewer operations make. A function counts as its opposite does.
std::map<std::uint32_t, int> operationsOfBinaryFunctions()
{
    const std::uint32_t every = (1u << (local_entropy::kWindowCells + 1)) - 1;
    std::vector<std::uint32_t> digits(5);
    for (int n = 0; n <= local_entropy::kWindowCells; ++n)
        for (int digit = 0; digit < 5; ++digit)
            digits[digit] |= static_cast<std::uint32_t>(n >> digit & 1) << n;
    std::map<std::uint32_t, int> fewest;
    std::set<std::uint32_t> latest(digits.begin(), digits.end());
    for (int operations = 1; operations <= 3; ++operations) {
        std::set<std::uint32_t> next;
        for (const std::uint32_t a : latest)
            for (const std::uint32_t b : digits)
                for (const std::uint32_t made : {a & b, a | b, a ^ b, a & ~b, ~a & b}) {
                    next.insert(made & every);
                    fewest.emplace(made & every, operations);
                }
        latest = next;
    }
    return fewest;
}

/// Operations for a word of cells, as the search counts them: the function of each of 16 levels,
/// the adders for so many digits, and two for each digit in the fold.
template <typename OperationsOf>
double costOf(const Hash &hash, OperationsOf operationsOf)
{
    const double adders[] = {0, 8, 20, 26, 29};
    double cost = 0;
    for (const Hash::Sum &sum : hash.sums)
        cost += 16 * operationsOf(sum.table) + adders[sum.digits] + 2 * sum.digits;
    return cost;
}

template <typename OperationsOf>
void expectTrue(const Found &found, OperationsOf operationsOf)
{
    double before = 1e9;
    for (const Hash &hash : found.hashes) {
        EXPECT_LT(hash.cost, before) << "an improvement\n" << found.output;
        before = hash.cost;
        EXPECT_EQ(hash.cost, costOf(hash, operationsOf)) << found.output;
        int digits = 0;
        for (const Hash::Sum &sum : hash.sums) digits += sum.digits;
        EXPECT_EQ(hash.digits, digits) << found.output;
        EXPECT_TRUE(tellsEntropiesApart([&](const Partition &one) { return hash.keyOf(one); }))
            << found.output;
    }
}

/// The first search among these that finds `what`: each takes the seconds that it is given, and how
/// far it comes in them depends on the machine.
template <typename Finds>
Found firstThat(const std::string &kind, const std::vector<int> &seeds, Finds finds)
{
    Found found;
    for (const int seconds : {1, 3, 9, 27})
        for (const int seed : seeds) {
            found = search(kind + " " + std::to_string(seconds) + " " + std::to_string(seed));
            if (finds(found)) return found;
        }
    ADD_FAILURE() << kind << ": nothing was found";
    return found;
}

TEST(SearchHash, BinaryFunctionsTellAllEntropiesApartAtTheCostThatIsSaid)
{
    const Found found =
        firstThat("binary", {10, 1}, [](const Found &one) { return !one.hashes.empty(); });
    const std::map<std::uint32_t, int> fewest = operationsOfBinaryFunctions();
    expectTrue(found, [&](std::uint32_t table) { return fewest.at(table); });
}

TEST(SearchHash, TernaryFunctionsDoSoFoldedToFifteenDigits)
{
    const Found found =
        firstThat("ternary", {8, 2}, [](const Found &one) { return !one.fold.empty(); });
    ASSERT_FALSE(found.hashes.empty()) << found.output;
    expectTrue(found, [](std::uint32_t) { return 1; });
    ASSERT_EQ(found.fold.size(), 15u) << found.output;
    const Hash &last = found.hashes.back();
    for (const std::uint32_t mask : found.fold) {
        EXPECT_NE(mask, 0u) << found.output;
        EXPECT_EQ(mask >> last.digits, 0u) << found.output;
    }
    EXPECT_TRUE(tellsEntropiesApart([&](const Partition &one) {
        std::uint32_t index = 0;
        for (const std::uint32_t mask : found.fold)
            index = 2 * index + __builtin_parity(last.keyOf(one) & mask);
        return index;
    })) << found.output;
}

// Of this seed, some that tell whole windows apart do not do so at the edges.
TEST(SearchHash, EachImprovementIsOneAndASeedIsASearchOfItsOwn)
{
    const Found found =
        firstThat("ternary", {5}, [](const Found &one) { return one.hashes.size() > 1; });
    expectTrue(found, [](std::uint32_t) { return 1; });
    const Found other =
        firstThat("ternary", {8}, [](const Found &one) { return !one.hashes.empty(); });
    const auto firstLine = [](const Found &of) {
        return of.output.substr(0, of.output.find('\n'));
    };
    EXPECT_NE(firstLine(found), firstLine(other));
}

// Of the same range there are two hashes: the one at the smaller offset is the engine's.
TEST(SearchHash, OfAllForTheGpuTheEnginesIsTheBest)
{
    const Outcome outcome = runCommand(BUILD_DIRECTORY "/search_hash gpu");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::istringstream lines(outcome.output);
    int hashes = 0, shortest = 1 << 30, range = 0;
    for (std::string line; std::getline(lines, line);)
        if (std::sscanf(line.c_str(), "offset %*d, function %*d, constant %*d: range %d", &range) ==
            1) {
            ++hashes;
            shortest = std::min(shortest, range);
        }
    EXPECT_GT(hashes, 1);
    EXPECT_EQ(shortest, 295660);
    EXPECT_TRUE(holds(outcome.output,
                      "apart: " + std::to_string(hashes) +
                          "\nthat of the engine, offset 38, function 104, constant 243, is the "
                          "best of them\n"))
        << outcome.output;
}

} // namespace
