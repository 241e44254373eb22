#include "hello/order.h"

#include "common/error.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace hello
{

namespace
{

using Order = std::vector<int>;

/// Collects the orders of the groups of one level.
class Collector
{
public:
    /// `first[i]` is the ticket with which member i of a group came.
    void add(const std::vector<unsigned> &first)
    {
        if (first.size() < 2) return;
        Order order(first.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int a, int b) { return first[a] < first[b]; });
        const bool ascending = std::is_sorted(order.begin(), order.end());
        ++level.groups;
        level.ascending += ascending;
        groupInRun = true;
        allAscending = allAscending && ascending;
        orders[order.size()].insert(std::move(order));
    }

    void endRun()
    {
        level.runs += groupInRun;
        level.runsAscending += groupInRun && allAscending;
        groupInRun = false;
        allAscending = true;
    }

    Level result()
    {
        for (const auto &[size, ofThatSize] : orders)
            level.orders = std::max(level.orders, static_cast<std::int64_t>(ofThatSize.size()));
        return level;
    }

private:
    Level level;
    std::map<std::size_t, std::set<Order>> orders; // by the members of a group
    bool groupInRun = false, allAscending = true;
};

void checkTickets(const Shape &shape, const Trial &run)
{
    std::vector<unsigned> sorted = run.tickets;
    std::sort(sorted.begin(), sorted.end());
    bool complete = sorted.size() == static_cast<std::size_t>(shape.threads());
    for (std::size_t i = 0; complete && i < sorted.size(); ++i) complete = sorted[i] == i;
    if (!complete || run.sm.size() != static_cast<std::size_t>(shape.blocks))
        throw common::Error("the tickets of a run are not 0 .. " +
                            std::to_string(shape.threads() - 1) + ", each drawn once");
}

std::string line(const char *level, const char *groups, const Level &found)
{
    if (found.groups == 0) return std::string(level) + "only one, nothing to put in order\n";
    return std::string(level) + "ascending in " + std::to_string(found.runsAscending) + " of " +
           std::to_string(found.runs) + " runs and " + std::to_string(found.ascending) + " of " +
           std::to_string(found.groups) + " " + groups + "; " + std::to_string(found.orders) +
           (found.orders == 1 ? " order" : " different orders") + " seen\n";
}

std::string conclusion(const char *level, const Level &found)
{
    if (found.groups == 0) return "";
    if (found.ascending == found.groups)
        return std::string("The ") + level +
               " always came in ascending order here; that is how this device works, CUDA does not "
               "promise it.\n";
    if (found.orders == 1)
        return std::string("The ") + level + " always came in the same order here, not the " +
               "ascending one; CUDA does not promise it.\n";
    return std::string("The ") + level +
           " have no fixed order: " + std::to_string(found.groups - found.ascending) +
           " times in " + std::to_string(found.groups) + " it was not the ascending one.\n";
}

} // namespace

Findings analyse(const Shape &shape, int runs, const std::function<Trial()> &draw)
{
    Findings findings;
    Collector lanes, warps, blocks;
    const int threads = shape.threadsOfBlock();
    for (; findings.runs < runs; ++findings.runs) {
        const Trial run = draw();
        checkTickets(shape, run);
        std::vector<unsigned> firstOfBlock, lastOfBlock;
        for (int block = 0; block < shape.blocks; ++block) {
            const auto begin = run.tickets.begin() + static_cast<std::ptrdiff_t>(block) * threads;
            std::vector<unsigned> firstOfWarp;
            for (int thread = 0; thread < threads; thread += kWarpThreads) {
                const auto end = begin + std::min(thread + kWarpThreads, threads);
                lanes.add({begin + thread, end});
                firstOfWarp.push_back(*std::min_element(begin + thread, end));
            }
            warps.add(firstOfWarp);
            firstOfBlock.push_back(*std::min_element(begin, begin + threads));
            lastOfBlock.push_back(*std::max_element(begin, begin + threads));
        }
        blocks.add(firstOfBlock);
        for (Collector *level : {&lanes, &warps, &blocks}) level->endRun();

        // A block that nobody interrupted drew consecutive tickets.
        bool interleaved = false;
        for (int block = 0; block < shape.blocks; ++block)
            interleaved |=
                lastOfBlock[block] - firstOfBlock[block] + 1 != static_cast<unsigned>(threads);
        findings.runsInterleaved += interleaved;
        const std::set<unsigned> used(run.sm.begin(), run.sm.end());
        findings.multiprocessors =
            std::max(findings.multiprocessors, static_cast<int>(used.size()));
    }
    findings.lanes = lanes.result();
    findings.warps = warps.result();
    findings.blocks = blocks.result();
    return findings;
}

std::string report(const Findings &findings)
{
    std::string text = std::to_string(findings.runs) + " runs; every thread drew a ticket\n";
    text += line("lanes of a warp:   ", "warps", findings.lanes);
    text += line("warps of a block:  ", "blocks", findings.warps);
    text += line("blocks of a grid:  ", "grids", findings.blocks);
    text += "side by side:      in " + std::to_string(findings.runsInterleaved) + " of " +
            std::to_string(findings.runs) +
            " runs a block began before another had ended; blocks on up to " +
            std::to_string(findings.multiprocessors) + " multiprocessors\n\n";
    text += "Is there a rule to the order?\n";
    text += conclusion("lanes of a warp", findings.lanes);
    text += conclusion("warps of a block", findings.warps);
    text += conclusion("blocks", findings.blocks);
    if (findings.blocks.groups > 0)
        text += findings.runsInterleaved > 0
                    ? "Blocks do not wait for each other: several are at work at the same time.\n"
                    : "No block was seen to begin before another had ended.\n";
    return text;
}

} // namespace hello
