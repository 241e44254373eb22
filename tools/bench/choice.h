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
    /// `within`: a choice whose ratio is more is wrong; 0: none is.
    explicit Choice(double within = 0) : within(within) {}

    /// Whether a choice among these is wrong.
    bool isWrong(const std::vector<Outcome> &outcomes) const;

    /// Times a case once; twice more where a choice seems wrong, since a disturbed run makes it
    /// seem so: the least times then count.
    std::vector<Outcome> timeFairly(Harness &harness, const Case &theCase) const;

    /// Prints a line for each path and number of threads with more than one method: which was
    /// chosen, which is the best, and how many times longer the first takes, of their least times.
    void add(const std::string &caseName, const std::vector<Outcome> &outcomes);

    /// Prints a line about the worst on each content, the worst of all in the last line. Methods
    /// are chosen before a cell is read: one that profits from a content may be the best there
    /// only. Prints nothing if there were no others to choose from.
    void printWorst() const;

    /// Prints a line a wrong choice, the worst first, and how many there are. Whether there are
    /// none. Throws common::Error where there was no choice to judge.
    bool printWrong() const;

private:
    struct Worst
    {
        double ratio = 0;
        std::string where;
    };
    const double within;
    std::map<std::string, Worst> worstOn; ///< by content
    std::vector<Worst> wrong;
    int judged = 0;
};

} // namespace bench
