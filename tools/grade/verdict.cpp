#include "verdict.h"

#include "entropy/window.h"

#include <cmath>
#include <cstdio>

namespace grade
{

namespace
{

int gravity(const std::string &word)
{
    if (word == "passed") return 0;
    if (word == "wrong") return 1;
    return word == "cheated" ? 3 : 2;
}

std::string format(const char *pattern, double value)
{
    if (std::isnan(value)) return "nan"; // never -nan
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

std::string quoted(const std::string &text)
{
    std::string json = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", byte);
        json += byte < 0x20 || byte > 0x7E || c == '"' || c == '\\' ? escape : std::string(1, c);
    }
    return json + '"';
}

std::string number(double value) { return std::isfinite(value) ? format("%.9g", value) : "null"; }

/// As text, so that "nan" and "inf" survive.
std::string cell(double value) { return quoted(format("%.6f", value)); }

} // namespace

void Verdict::note(const std::string &worse, const std::string &why)
{
    if (gravity(worse) <= gravity(word)) return;
    word = worse;
    message = why;
}

std::string Verdict::json() const
{
    std::string list, times;
    for (const std::string &warning : warnings)
        list += (list.empty() ? "" : ", ") + quoted(warning);
    for (const double time : milliseconds) times += (times.empty() ? "" : ", ") + number(time);
    std::string text = "{\"verdict\": " + quoted(word) + ", \"message\": " + quoted(message) +
                       ", \"groups_passed\": " + std::to_string(groupsPassed) +
                       ", \"groups\": " + std::to_string(groups) +
                       ", \"wrong_cells\": " + std::to_string(wrongCells) + ", \"warnings\": [" +
                       list + "], \"milliseconds\": [" + times +
                       "], \"rounds\": " + std::to_string(rounds) +
                       ", \"walls\": " + quoted(walls) + ", \"end\": " + quoted(end);
    if (worst.group)
        text += ", \"largest_error\": " + quoted(format("%.3g", worst.error)) +
                ", \"error_group\": " + std::to_string(worst.group) +
                ", \"error_x\": " + std::to_string(worst.x) +
                ", \"error_y\": " + std::to_string(worst.y) +
                ", \"expected\": " + cell(worst.expected) +
                ", \"computed\": " + cell(worst.computed);
    return text + "}\n";
}

std::string groupName(const entropy::Sample &sample, std::size_t group, std::size_t groups)
{
    return "group " + std::to_string(group) + " of " + std::to_string(groups) + ", " +
           std::to_string(sample.width) + " x " + std::to_string(sample.height);
}

bool compareCells(const entropy::Sample &sample, const std::vector<float> &gold,
                  const float *result, std::size_t group, Verdict &verdict)
{
    Worst worst;
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < gold.size(); ++i) {
        const double error = std::fabs(static_cast<double>(result[i]) - gold[i]);
        if (!(error <= entropy::kTolerance) && wrong++ == 0) first = i; // NaN is wrong too
        const bool farther = std::isnan(error) ? !std::isnan(worst.error) : error > worst.error;
        if (!farther && !(i == 0)) continue;
        worst = {error,
                 gold[i],
                 result[i],
                 group,
                 static_cast<int>(i % sample.width),
                 static_cast<int>(i / sample.width)};
    }
    Worst &known = verdict.worst;
    if (!known.group || worst.error > known.error ||
        (std::isnan(worst.error) && !std::isnan(known.error)))
        known = worst;
    verdict.wrongCells += wrong;
    if (wrong == 0) return true;
    const auto place = [](std::size_t x, std::size_t y) {
        return "x " + std::to_string(x) + ", y " + std::to_string(y);
    };
    verdict.note("wrong", groupName(sample, group, verdict.groups) + ": " + std::to_string(wrong) +
                              " of " + std::to_string(gold.size()) + " cells wrong; the first at " +
                              place(first % sample.width, first / sample.width) +
                              "; the worst at " + place(worst.x, worst.y) + ": expected " +
                              format("%.5f", worst.expected) + ", computed " +
                              format("%.5f", worst.computed));
    return false;
}

} // namespace grade
