#include "resident.h"

#include "../sanitized.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace soak
{

namespace
{

std::size_t now()
{
    std::size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

void Resident::look(double part)
{
    std::size_t &most = tenths[std::min<std::size_t>(part * 10, 9)];
    most = std::max(most, now());
}

bool Resident::isFlat() const
{
    if (kAddressSanitizer || kThreadSanitizer) return true; // they keep what has been freed
    constexpr std::size_t kFew = std::size_t(2) << 20;
    const std::size_t before = *std::max_element(tenths.begin(), tenths.begin() + 5);
    const std::size_t later = *std::max_element(tenths.begin() + 5, tenths.end());
    return later <= before + before / 20 + kFew;
}

std::string Resident::text() const
{
    std::string text = "resident in each tenth, MiB:";
    for (const std::size_t most : tenths) text += " " + std::to_string(most >> 20);
    return text + (isFlat() ? "" : ": NOT FLAT");
}

} // namespace soak
