// The searches that find the hashes of the engine; what they print is proven whenever it is used.
//
// CPU (sources/local_entropy/methods/bits/hash.h): boolean functions of a count, how many digits of
// their sums over the levels are kept, and the exclusive-ors that fold these digits into an index.
// Simulated annealing.
//
// GPU (sources/local_entropy/methods/words/hash.h): a boolean function of the bytes y = 8 * count +
// offset, x = y rotated right by three, and a constant. All there are.

#include "common/clock.h"
#include "common/error.h"
#include "common/standard_output.h"
#include "local_entropy/answers/partitions.h"
#include "local_entropy/methods/words/hash.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace words = local_entropy::words;

namespace
{

constexpr const char *kHelp =
    R"(usage: search_hash ternary|binary [SECONDS [SEED]]
       search_hash gpu [OFFSET]

ternary, binary: searches for functions of the five binary digits of a count, made of one operation
of any kind with three operands (ternary) or of up to three of and, or, xor and and-not (binary),
whose sums over the levels tell all entropies of a window apart at the least cost; then for a fold of
the kept digits to 15. Prints every improvement: truth tables over the counts 0..25 with the digits
kept, and the fold as masks over all kept digits, those of the first function leftmost.
SECONDS is 600 and SEED 1 if not given.

gpu: tries every offset in 0..55 (or OFFSET alone), boolean function of three operands and constant
for a hash of a count whose squares, summed over the levels, tell all entropies of all windows apart.
Prints all there are, with the range of their sums, and whether the one that the engine uses has the
smallest. Seconds.
)";

constexpr int kIndexDigits = 15;
constexpr std::uint32_t kCounts =
    (1u << (local_entropy::kWindowCells + 1)) - 1; ///< a bit for each count

/// The windows of one size: their counts, and a number for each different entropy.
struct Windows
{
    std::vector<local_entropy::Partition> partitions;
    std::vector<int> entropy;
};

std::vector<Windows> allWindows()
{
    std::vector<Windows> all;
    for (const int cells : local_entropy::windowSizes()) {
        Windows windows{local_entropy::partitionsOf(cells), {}};
        std::map<std::array<int, 9>, int> known;
        for (const local_entropy::Partition &partition : windows.partitions)
            windows.entropy.push_back(
                known.emplace(partition.sumOfLogs(), static_cast<int>(known.size())).first->second);
        all.push_back(std::move(windows));
    }
    std::reverse(all.begin(), all.end()); // the hardest first
    return all;
}

/// A boolean function of a count: bit n of the truth table is its value for n.
struct Function
{
    std::uint32_t table;
    int operations;
};

/// Keeps the cheapest way to each function that is not constant; a function and its opposite count
/// the same levels.
class Functions
{
public:
    void add(std::uint32_t table, int operations)
    {
        table &= kCounts;
        if (table == 0 || table == kCounts) return;
        const auto entry = cheapest.emplace(table, operations).first;
        entry->second = std::min(entry->second, operations);
    }
    std::vector<Function> list() const
    {
        std::vector<Function> functions;
        for (const auto &[table, operations] : cheapest) functions.push_back({table, operations});
        return functions;
    }

private:
    std::map<std::uint32_t, int> cheapest;
};

std::vector<std::uint32_t> digits()
{
    std::vector<std::uint32_t> tables(5, 0);
    for (int n = 0; n <= local_entropy::kWindowCells; ++n)
        for (int digit = 0; digit < 5; ++digit) tables[digit] |= std::uint32_t(n >> digit & 1) << n;
    return tables;
}

std::vector<Function> ternaryFunctions()
{
    Functions functions;
    const auto digit = digits();
    for (int a = 0; a < 5; ++a)
        for (int b = 0; b < a; ++b)
            for (int c = 0; c < b; ++c)
                for (int choice = 1; choice < 255; ++choice) {
                    std::uint32_t table = 0;
                    for (int row = 0; row < 8; ++row)
                        if (choice >> row & 1)
                            table |= (row & 4 ? digit[a] : ~digit[a]) &
                                     (row & 2 ? digit[b] : ~digit[b]) &
                                     (row & 1 ? digit[c] : ~digit[c]);
                    functions.add(table, 1);
                }
    return functions.list();
}

std::vector<Function> binaryFunctions()
{
    Functions functions;
    std::vector<std::uint32_t> latest = digits();
    for (int operations = 1; operations <= 3; ++operations) {
        std::vector<std::uint32_t> next;
        for (const std::uint32_t a : latest)
            for (const std::uint32_t b : digits())
                for (const std::uint32_t table : {a & b, a | b, a ^ b, a & ~b, ~a & b}) {
                    functions.add(table, operations);
                    next.push_back(table & kCounts);
                }
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
        latest = next;
    }
    return functions.list();
}

/// A function of the hash, and how many digits of its sum are kept.
struct Sum
{
    Function function;
    int digits;
};

/// Operations for the sixteen levels of a word of cells: the functions, the adders, the fold.
double costOf(const std::vector<Sum> &sums)
{
    constexpr double kAdders[] = {0, 8, 20, 26, 29, 30}; // for that many digits of a sum
    double cost = 0;
    for (const Sum &sum : sums)
        cost += 16 * sum.function.operations + kAdders[sum.digits] + 2 * sum.digits;
    return cost;
}

int digitsOf(const std::vector<Sum> &sums)
{
    int digits = 0;
    for (const Sum &sum : sums) digits += sum.digits;
    return digits;
}

std::uint32_t keyOf(const std::vector<Sum> &sums, const local_entropy::Partition &partition)
{
    std::uint32_t key = 0;
    for (const Sum &sum : sums) {
        int count = 0;
        for (int n = 0; n <= local_entropy::kWindowCells; ++n)
            count += (sum.function.table >> n & 1) * partition.levels[n];
        key = key << sum.digits | (count & ((1 << sum.digits) - 1));
    }
    return key;
}

/// How many windows meet one of another entropy under the same key.
class Collisions
{
public:
    explicit Collisions(int bits) : stamp(1 << bits), entropy(1 << bits) {}

    void start() { ++now; }
    bool meets(std::uint32_t key, int itsEntropy)
    {
        if (stamp[key] != now) stamp[key] = now, entropy[key] = itsEntropy;
        return entropy[key] != itsEntropy;
    }

private:
    std::vector<int> stamp, entropy;
    int now = 0;
};

int collisions(const std::vector<Sum> &sums, const Windows &windows, Collisions &met)
{
    int count = 0;
    met.start();
    for (std::size_t i = 0; i < windows.partitions.size(); ++i)
        count += met.meets(keyOf(sums, windows.partitions[i]), windows.entropy[i]);
    return count;
}

class Search
{
public:
    Search(std::vector<Function> functions, double seconds, unsigned seed)
        : functions(std::move(functions)), seconds(seconds), random(seed)
    {
    }

    void run()
    {
        const common::WallClock clock;
        while (clock.seconds() < seconds / 2) anneal(clock);
        if (best.empty()) return void(std::puts("nothing found: give it more seconds"));
        for (const Windows &size : windows) {
            keysOfBest.emplace_back();
            for (const local_entropy::Partition &partition : size.partitions)
                keysOfBest.back().push_back(keyOf(best, partition));
        }
        while (clock.seconds() < seconds)
            if (fold(clock)) return;
        std::puts("no fold found: give it more seconds, or another seed");
    }

private:
    static constexpr int kKeyBits = 20, kSteps = 4000;

    int draw(std::size_t size) { return static_cast<int>(random() % size); }
    bool accepts(double worse, double temperature)
    {
        return worse <= 0 || std::exp(-worse / temperature) > (random() & 0xffffff) / 16777216.0;
    }

    /// From some random sums towards cheap ones without collisions, which weigh more and more.
    void anneal(const common::WallClock &clock)
    {
        std::vector<Sum> sums;
        for (int i = 0; i < 6; ++i) sums.push_back({functions[draw(functions.size())], 3});
        int met = collisions(sums, windows[0], keys);
        for (int step = 0; step < kSteps && clock.seconds() < seconds / 2; ++step) {
            const double weight = 1.5 + 6.0 * step / kSteps;
            const double temperature = 40 * std::pow(0.02, double(step) / kSteps);
            std::vector<Sum> next = sums;
            change(next);
            if (digitsOf(next) > kKeyBits) continue;
            const int nextMet = collisions(next, windows[0], keys);
            if (!accepts(costOf(next) + weight * nextMet - costOf(sums) - weight * met,
                         temperature))
                continue;
            sums = next;
            met = nextMet;
            if (met == 0 && (best.empty() || costOf(sums) < costOf(best))) keep(sums);
        }
    }

    void change(std::vector<Sum> &sums)
    {
        Sum &sum = sums[draw(sums.size())];
        switch (draw(4)) {
        case 0: sum.digits = std::clamp(sum.digits + (random() & 1 ? 1 : -1), 1, 4); break;
        case 1:
            if (sums.size() < 10 && random() & 1)
                sums.push_back({functions[draw(functions.size())], 1 + draw(3)});
            else if (sums.size() > 3)
                sums.erase(sums.begin() + draw(sums.size()));
            break;
        default: sum.function = functions[draw(functions.size())];
        }
    }

    void keep(const std::vector<Sum> &sums)
    {
        for (const Windows &size : windows)
            if (collisions(sums, size, keys)) return;
        best = sums;
        std::printf("cost %.0f, %d digits:", costOf(sums), digitsOf(sums));
        for (const Sum &sum : sums) std::printf(" %07x/%d", sum.function.table, sum.digits);
        std::printf("\n");
        std::fflush(stdout);
    }

    /// Fifteen masks of one to three digits that keep different entropies apart.
    bool fold(const common::WallClock &clock)
    {
        const int digits = digitsOf(best);
        std::vector<std::uint32_t> masks(kIndexDigits);
        for (int i = 0; i < std::max(digits, kIndexDigits); ++i)
            masks[i % kIndexDigits] |= 1u << i % digits;
        int met = folded(masks, 0);
        for (int step = 0; step < kSteps && clock.seconds() < seconds; ++step) {
            std::vector<std::uint32_t> next = masks;
            std::uint32_t &mask = next[draw(kIndexDigits)];
            for (int flips = 1 + (random() & 1); flips > 0; --flips) mask ^= 1u << draw(digits);
            if (mask == 0 || __builtin_popcount(mask) > 3) continue;
            const int nextMet = folded(next, 0);
            if (!accepts(nextMet - met, 3.0 * (1 - double(step) / kSteps) + 0.05)) continue;
            masks = next;
            met = nextMet;
            if (met == 0 && foldsAll(masks)) return true;
        }
        return false;
    }

    /// Collisions among the windows of size number `size` of the list.
    int folded(const std::vector<std::uint32_t> &masks, std::size_t size)
    {
        int count = 0;
        indices.start();
        for (std::size_t i = 0; i < keysOfBest[size].size(); ++i) {
            std::uint32_t index = 0;
            for (int bit = 0; bit < kIndexDigits; ++bit)
                index |= std::uint32_t(__builtin_parity(keysOfBest[size][i] & masks[bit])) << bit;
            count += indices.meets(index, windows[size].entropy[i]);
        }
        return count;
    }

    bool foldsAll(const std::vector<std::uint32_t> &masks)
    {
        for (std::size_t size = 0; size < windows.size(); ++size)
            if (folded(masks, size)) return false;
        std::printf("fold:");
        for (const std::uint32_t mask : masks) std::printf(" %05x", mask);
        std::printf("\n");
        return true;
    }

    const std::vector<Windows> windows = allWindows();
    const std::vector<Function> functions;
    const double seconds;
    std::mt19937 random;
    Collisions keys{kKeyBits}, indices{kIndexDigits};
    std::vector<Sum> best;
    std::vector<std::vector<std::uint32_t>> keysOfBest; ///< for every size of windows
};

// ---- GPU ----------------------------------------------------------------------------------------

/// w^2 of a count, where w = function(y, x, constant) bit by bit and y = 8 * count + offset.
struct SquareHash
{
    int offset, function, constant;
    std::uint32_t range = 0; ///< largest sum less smallest

    std::uint32_t square(int count) const
    {
        const unsigned y = 8 * count + offset, x = (y >> 3 | y << 5) & 0xFF;
        unsigned w = 0;
        for (int row = 0; row < 8; ++row)
            if (function >> row & 1)
                w |= (row & 4 ? y : ~y) & (row & 2 ? x : ~x) & (row & 1 ? constant : ~constant);
        return (w & 0xFF) * (w & 0xFF);
    }
    bool operator<(const SquareHash &other) const
    {
        return std::tie(range, offset, function, constant) <
               std::tie(other.range, other.offset, other.function, other.constant);
    }
    bool sameAs(const SquareHash &other) const
    {
        return std::tie(offset, function, constant) ==
               std::tie(other.offset, other.function, other.constant);
    }
};

constexpr SquareHash kEnginesOwn = {words::kOffsetY, words::kFunction,
                                    words::kFactor / words::kBytes};

class SquareSearch
{
public:
    static constexpr int kOffsets = 56; ///< beyond, 8 * 25 + offset is no byte

    SquareSearch()
    {
        std::map<std::pair<int, std::array<int, 9>>, int> known;
        for (const int cells : local_entropy::windowSizes())
            for (const local_entropy::Partition &partition : local_entropy::partitionsOf(cells)) {
                const auto entropy = std::make_pair(cells, partition.sumOfLogs());
                Window window{{},
                              known.emplace(entropy, static_cast<int>(known.size())).first->second};
                for (int count = 0; count <= local_entropy::kWindowCells; ++count)
                    if (partition.levels[count])
                        window.terms.push_back({count, partition.levels[count]});
                windows.push_back(window);
            }
        std::shuffle(windows.begin(), windows.end(), std::mt19937(1)); // two that meet come early
    }

    /// Odd constants are enough: an even one is an odd one inverted, for another function.
    void run(int firstOffset, int lastOffset)
    {
#pragma omp parallel for schedule(dynamic)
        for (int offset = firstOffset; offset <= lastOffset; ++offset) {
            Collisions met(kSumBits);
            for (int function = 1; function < 255; ++function)
                for (int constant = 1; constant < 256; constant += 2)
                    tryOut({offset, function, constant}, met);
        }
        std::printf("hashes that tell all entropies apart: %ld\n", found);
        if (firstOffset > kEnginesOwn.offset || lastOffset < kEnginesOwn.offset) return;
        std::printf("that of the engine, offset %d, function %d, constant %d, is %s\n",
                    kEnginesOwn.offset, kEnginesOwn.function, kEnginesOwn.constant,
                    best.sameAs(kEnginesOwn) ? "the best of them"
                    : ownWorks               ? "one of them, but not the best"
                                             : "NOT one of them");
    }

private:
    static constexpr int kSumBits = 20; ///< 16 * 255^2 < 2^20

    struct Window
    {
        std::vector<std::pair<int, std::uint32_t>> terms; ///< a count, and how many levels have it
        int entropy;
    };

    void tryOut(SquareHash hash, Collisions &met)
    {
        std::uint32_t squares[local_entropy::kWindowCells + 1], least = ~0u, most = 0;
        for (int count = 0; count <= local_entropy::kWindowCells; ++count)
            squares[count] = hash.square(count);
        met.start();
        for (const Window &window : windows) {
            std::uint32_t sum = 0;
            for (const auto &[count, levels] : window.terms) sum += levels * squares[count];
            if (met.meets(sum, window.entropy)) return;
            least = std::min(least, sum);
            most = std::max(most, sum);
        }
        hash.range = most - least;
#pragma omp critical(search_hash_best)
        keep(hash);
    }

    void keep(const SquareHash &hash)
    {
        ++found;
        if (found == 1 || hash < best) best = hash;
        ownWorks |= hash.sameAs(kEnginesOwn);
        std::printf("offset %d, function %d, constant %d: range %u\n", hash.offset, hash.function,
                    hash.constant, hash.range);
        std::fflush(stdout);
    }

    std::vector<Window> windows;
    SquareHash best = {};
    long found = 0;
    bool ownWorks = false;
};

/// A number of the command line; throws common::Error if it is none from `least` to `most`.
int numberFrom(const char *text, int least, int most)
{
    char *end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (end == text || *end || number < least || number > most)
        throw common::Error("'" + std::string(text) + "' is no whole number from " +
                            std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(number);
}

int run(const std::string &kind, const std::vector<const char *> &numbers)
{
    constexpr int kMost = 1000000000;
    if (kind == "gpu" && numbers.size() <= 1) {
        constexpr int kLast = SquareSearch::kOffsets - 1;
        const int first = numbers.empty() ? 0 : numberFrom(numbers[0], 0, kLast);
        SquareSearch().run(first, numbers.empty() ? kLast : first);
    } else if ((kind == "ternary" || kind == "binary") && numbers.size() <= 2) {
        const int seconds = numbers.empty() ? 600 : numberFrom(numbers[0], 1, kMost);
        const int seed = numbers.size() < 2 ? 1 : numberFrom(numbers[1], 0, kMost);
        Search(kind == "ternary" ? ternaryFunctions() : binaryFunctions(), seconds, seed).run();
    } else {
        std::fputs(kHelp, kind == "--help" ? stdout : stderr);
        return kind == "--help" ? EXIT_SUCCESS : 2;
    }
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char **argv)
try {
    return common::afterOutput(
        run(argc > 1 ? argv[1] : "", {argv + std::min(argc, 2), argv + argc}));
} catch (const std::exception &error) {
    std::fprintf(stderr, "search_hash: %s\n", error.what());
    return 2;
}
