#include "bench/cost_text.h"

#include "common/cpu_facts.h"

#include <cstdio>
#include <limits>

namespace bench
{

using local_entropy::Costed;
using local_entropy::CostKind;
using local_entropy::CostRows;
using local_entropy::CostShapes;
using local_entropy::Path;

CostRows &CostTable::rowsOf(Costed method, Path path, CostKind kind)
{
    return rows.try_emplace({method, path, kind}, CostRows{method, path, kind, {}}).first->second;
}

CostShapes &CostTable::shapesOf(Costed method, Path path)
{
    return shapes.try_emplace({method, path}, CostShapes{method, path, {}, {}}).first->second;
}

double CostTable::amongSquares(Costed method, Path path, int row, int cells) const
{
    const auto found = rows.find({method, path, kOblongKind});
    return found == rows.end()
               ? std::numeric_limits<double>::infinity()
               : local_entropy::costAmongSquares(found->second.nanoseconds[row], cells);
}

namespace
{

const char *nameOf(CostKind kind)
{
    switch (kind) {
    case CostKind::Entropy: return "Entropy";
    case CostKind::OtherMeasure: return "OtherMeasure";
    case CostKind::Missing: return "Missing";
    case CostKind::Footprint: return "Footprint";
    case CostKind::Double: break;
    }
    return "Double";
}

const char *nameOf(Costed method)
{
    switch (method) {
    case Costed::Bits: return "Bits";
    case Costed::Ranks: return "Ranks";
    case Costed::SlidingRanks: return "SlidingRanks";
    case Costed::Levels: return "Levels";
    case Costed::Histogram: return "Histogram";
    case Costed::Plain: break;
    }
    return "Plain";
}

const char *nameOf(Path path)
{
    switch (path) {
    case Path::Avx512Vbmi: return "Avx512Vbmi";
    case Path::Avx512: return "Avx512";
    case Path::Avx2: return "Avx2";
    case Path::Ssse3: return "Ssse3";
    case Path::Neon: return "Neon";
    case Path::Portable: break;
    }
    return "Portable";
}

/// Three digits; zeros at the end are left out.
template <int kCount>
std::string lineOf(const float (&costs)[kCount])
{
    std::string line, zeros;
    for (const float cost : costs) {
        const std::string comma = line.empty() && zeros.empty() ? "" : ", ";
        if (cost == 0) {
            zeros += comma + "0";
            continue;
        }
        char number[32];
        std::snprintf(number, sizeof number, "%.3g", static_cast<double>(cost));
        line += zeros + comma + number;
        zeros.clear();
    }
    return "    {" + line + "},\n";
}

/// "Costed::Ranks, Path::Avx2"
std::string named(Costed method, Path path)
{
    return std::string("Costed::") + nameOf(method) + ", Path::" + nameOf(path);
}

} // namespace

std::string textOf(const CostTable &table, const std::string &revision)
{
    std::string text = "// Written by `make costs`: bench_filter --costs. What it says: costs.h.\n"
                       "// Processor: " +
                       common::processorName() +
                       "\n// Compiler: " __VERSION__ "; revision: " + revision +
                       "\nconstexpr CostRows kRows[] = {\n";
    for (const auto &[key, rows] : table.rows) {
        text += "{" + named(rows.method, rows.path) + ", CostKind::" + nameOf(rows.kind) + ", {\n";
        for (const auto &costs : rows.nanoseconds) text += lineOf(costs);
        text += "}},\n";
    }
    text += "};\nconstexpr CostShapes kShapes[] = {\n";
    for (const auto &[key, shapes] : table.shapes) {
        text += "{" + named(shapes.method, shapes.path) + ", {\n";
        for (const auto &times : shapes.broad) text += lineOf(times);
        text += "}, {\n";
        for (const auto &times : shapes.tall) text += lineOf(times);
        text += "}},\n";
    }
    text += "};\nconstexpr CostFloats kFloats[] = {\n";
    for (const auto &[path, cost] : table.floats) {
        char number[32];
        std::snprintf(number, sizeof number, "%.3g", cost);
        text += std::string("{Path::") + nameOf(path) + ", " + number + "},\n";
    }
    return text + "};\n";
}

} // namespace bench
