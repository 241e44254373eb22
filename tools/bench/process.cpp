#include "bench/process.h"

#include "bench/harness.h"
#include "common/child.h"

#include <cstdio>

namespace bench
{
namespace
{

const std::string kChild = "--child", kUnavailable = "unavailable: ";

} // namespace

std::string ask(const std::vector<std::string> &arguments,
                const std::vector<std::pair<std::string, std::string>> &settings)
{
    std::vector<std::string> words = {kChild};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const common::ChildOutcome outcome = common::runChild(words, settings);
    if (outcome.status != 0) throw WrongAnswer("failed");
    const std::size_t at = ("\n" + outcome.output).find("\n" + kUnavailable);
    if (at == std::string::npos) return outcome.output;
    const std::string why = outcome.output.substr(at + kUnavailable.size());
    throw common::Unavailable(why.substr(0, why.find('\n')));
}

bool isChild(int argc, char **argv) { return argc > 1 && argv[1] == kChild; }

void answer(const std::function<void()> &work)
try {
    work();
} catch (const common::Unavailable &why) {
    std::printf("%s%s\n", kUnavailable.c_str(), why.what());
}

} // namespace bench
