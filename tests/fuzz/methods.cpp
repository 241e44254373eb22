// Any small question through every method on every path: the bits, the status and the sentence must
// be those of the method `plain` on the plainest path, and its first results those of the
// definition.
#include "../local_entropy/judge.h"
#include "../local_entropy/question.h"
#include "bytes.h"
#include "local_entropy/engine.h"
#include "targets.h"

#include <cstring>

namespace fuzz
{
namespace
{

using namespace local_entropy;

struct Contestant
{
    std::string name;
    Engine engine;
};

/// The first one is who says what is right.
std::vector<Contestant> makeContestants()
{
    std::vector<Contestant> all;
    const auto add = [&](const std::string &method, const std::string &path) {
        EngineOptions options;
        options.method = method, options.path = path;
        options.threads = all.size() % 4 == 3 ? 3 : 1;
        all.push_back({(method.empty() ? "best" : method) + " on " + path, Engine(options)});
    };
    const std::vector<std::string> paths = Engine::paths();
    add("plain", paths.back());
    for (const std::string &path : paths) {
        add("", path);
        for (const std::string &method : Engine::methods())
            if (method != "plain") add(method, path); // of which there is one for all paths
    }
    return all;
}

/// Made anew now and then, with the tables that they keep.
std::vector<Contestant> &contestants()
{
    constexpr int kInputs = 50;
    static std::vector<Contestant> all;
    static int used = 0;
    if (used++ % kInputs == 0) all = makeContestants();
    return all;
}

struct Outcome
{
    Status status = Status::Ok;
    std::string sentence;
};

template <typename Cell, typename Value>
Outcome run(Engine &engine, const Question<Cell> &question, const GuardedArray<Value> &values)
{
    values.poison();
    RunOptions options;
    options.mask = question.maskView();
    options.region = question.region;
    Outcome outcome;
    try {
        engine.run(question.filter, question.view(), values.view(), options);
    } catch (const Error &error) {
        outcome = {error.status(), error.what()};
    }
    expect(values.gapsArePoisoned(), "it wrote between the rows");
    return outcome;
}

/// Of the first results: all would take longer than the methods do.
template <typename Cell, typename Value>
void judgeSome(const Question<Cell> &question, const GuardedArray<Value> &values)
{
    constexpr std::int64_t kSome = 6;
    if (!question.exact()) return;
    for (std::int64_t i = 0; i < std::min(kSome, question.region.width); ++i) {
        const std::int64_t x = i, y = i % question.region.height;
        const auto truth = judge::resultOf(question.filter, question.view(), question.maskView(),
                                           question.region.x + x, question.region.y + y);
        expect(judge::isNearest(values.at(x, y), truth),
               "plain: at " + std::to_string(x) + ", " + std::to_string(y) + " " +
                   std::to_string(values.at(x, y)) + ", expected " + std::to_string(truth) + "\n" +
                   question.text());
    }
}

template <typename Cell, typename Value>
void ask(const Question<Cell> &question)
{
    const auto made = [&] {
        return GuardedArray<Value>(question.region.width, question.region.height, question.gap);
    };
    const GuardedArray<Value> right = made(), values = made();
    std::vector<Contestant> &all = contestants();
    const Outcome expected = run(all[0].engine, question, right);
    if (expected.status == Status::Ok) judgeSome(question, right);
    expect(expected.status != Status::Internal, expected.sentence + "\n" + question.text());
    for (std::size_t i = 1; i < all.size(); ++i) {
        const Outcome outcome = run(all[i].engine, question, values);
        if (outcome.status == Status::Unavailable) continue; // not by this method
        const std::string where = all[i].name + ": " + outcome.sentence + "\n" + question.text();
        expect(outcome.status == expected.status, "another status than plain: " + where);
        expect(outcome.sentence == expected.sentence, expected.sentence + "\nbut " + where);
        if (outcome.status != Status::Ok) continue;
        for (std::int64_t y = 0; y < question.region.height; ++y)
            expect(std::memcmp(&values.at(0, y), &right.at(0, y),
                               question.region.width * sizeof(Value)) == 0,
                   "other bits than plain in row " + std::to_string(y) + ": " + where);
    }
}

template <typename Cell>
void askOf(const std::function<std::uint32_t()> &numbers)
{
    const Question<Cell> question(numbers, true, "question");
    question.asDouble ? ask<Cell, double>(question) : ask<Cell, float>(question);
}

} // namespace

void methods(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    const int type = bytes.below(5);
    // When the bytes have come to their end, others take their place.
    const auto others = std::make_shared<std::mt19937>(bytes.take<std::uint16_t>());
    const auto numbers = [&bytes, others]() -> std::uint32_t {
        return bytes.empty() ? (*others)() : bytes.take<std::uint16_t>();
    };
    switch (type) {
    case 0: return askOf<std::uint8_t>(numbers);
    case 1: return askOf<std::uint16_t>(numbers);
    case 2: return askOf<std::int16_t>(numbers);
    case 3: return askOf<float>(numbers);
    default: return askOf<bool>(numbers);
    }
}

} // namespace fuzz
