// Does the engine choose the best method? From rows that time the chosen one and the others.
#pragma once

#include "bench/harness.h"

#include <string>
#include <vector>

namespace bench
{

class Choice
{
public:
    /// Prints a line for each path and number of threads with more than one method: which was
    /// chosen, which is the best, and how many times longer the first takes, of their least times.
    void add(const std::string &caseName, const std::vector<Outcome> &outcomes);

    /// Prints the line about the worst of them; none if there were no others to choose from.
    void printWorst() const;

private:
    double worst = 0;
    std::string where;
};

} // namespace bench
