// Does the engine choose the best method? From rows that time the chosen one and the others.
#pragma once

#include "bench/harness.h"

#include <map>
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

    /// Prints a line about the worst on each content, the worst of all in the last line. Methods
    /// are chosen before a cell is read: one that profits from a content may be the best there
    /// only. Prints nothing if there were no others to choose from.
    void printWorst() const;

private:
    struct Worst
    {
        double ratio = 0;
        std::string where;
    };
    std::map<std::string, Worst> worstOn; ///< by content
};

} // namespace bench
