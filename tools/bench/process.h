// Rows that are measured in processes of their own: nothing was warmed there, or other settings
// hold. The program starts itself once more, as a child.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

/// What a child prints that is given these arguments, and `settings` (name, value) in its
/// environment. Throws common::Unavailable with the child's own sentence where it cannot run here,
/// and WrongAnswer where it fails: it has said why.
std::string ask(const std::vector<std::string> &arguments,
                const std::vector<std::pair<std::string, std::string>> &settings = {});

/// Whether this process is such a child. Then its arguments begin with the second of argv.
bool isChild(int argc, char **argv);

/// In a child: does its work, which prints its answer.
void answer(const std::function<void()> &work);

} // namespace bench
