#include "questions.h"

#include "../local_entropy/question.h"

#include <cmath>
#include <cstring>
#include <random>
#include <utility>

namespace soak
{

using namespace local_entropy;

namespace
{

/// An image as programs have them: smooth, with noise. It has what Question has.
template <typename Cell>
struct Picture
{
    Filter filter;
    Region region;
    std::int64_t gap = 0;
    std::vector<Cell> all;

    Picture(std::int64_t width, std::int64_t height, int levels, int side, bool disk, unsigned seed)
        : region{0, 0, width, height}, all(width * height)
    {
        filter.levels.count = levels;
        filter.window.width = filter.window.height = side;
        for (int i = 0; disk && i < side * side; ++i) {
            const int x = i % side - side / 2, y = i / side - side / 2;
            filter.window.footprint.push_back(x * x + y * y <= side * side / 4);
        }
        std::mt19937 random(seed);
        for (std::int64_t i = 0; i < width * height; ++i) {
            const double smooth = std::sin((i % width) / 60.0) + std::sin((i / width) / 45.0) + 2;
            const double noise = static_cast<double>(random() % 1000) / 4000;
            all[i] = static_cast<Cell>(std::floor((smooth + noise) / 4.25 * levels));
        }
    }
    View<const Cell> view() const { return {all.data(), region.width, region.height, 0}; }
    View<const std::uint8_t> maskView() const { return {}; }
    std::string text() const
    {
        return "picture " + std::to_string(region.width) + " x " + std::to_string(region.height) +
               ", window " + std::to_string(filter.window.width) +
               (filter.window.footprint.empty() ? "" : " disk") + ", levels " +
               std::to_string(filter.levels.count);
    }
};

template <typename Cell, typename Value, typename Question>
class WithAnswers : public Asked
{
public:
    WithAnswers(std::unique_ptr<Question> asked, Engine &plain)
        : question(std::move(asked)), expected(compute(plain, question->filter, {}))
    {
    }
    bool isRight(Engine &engine, const RunOptions &options) const override
    {
        const std::vector<Value> values = compute(engine, question->filter, options);
        return std::memcmp(values.data(), expected.data(), values.size() * sizeof(Value)) == 0;
    }
    Status refusal(Engine &engine) const override
    {
        Filter none = question->filter;
        none.window.width = 0;
        try {
            compute(engine, none, {});
        } catch (const Error &error) {
            return error.status();
        }
        return Status::Internal;
    }
    std::string text() const override { return question->text(); }
    std::size_t cells() const override { return expected.size(); }

private:
    std::vector<Value> compute(Engine &engine, const Filter &filter, RunOptions options) const
    {
        const Region &region = question->region;
        const std::int64_t stride = region.width + question->gap;
        std::vector<Value> values(region.height * stride);
        std::memset(values.data(), 0xa5, values.size() * sizeof(Value)); // no result is that
        options.mask = question->maskView();
        options.region = region;
        engine.run(filter, question->view(),
                   View<Value>{values.data(), region.width, region.height, stride}, options);
        return values;
    }

    std::unique_ptr<Question> question;
    std::vector<Value> expected;
};

using List = std::vector<std::unique_ptr<Asked>>;

template <typename Cell>
void addQuestion(List &list, Engine &plain, unsigned seed)
{
    auto question = std::make_unique<Question<Cell>>(seed);
    if (question->asDouble)
        list.push_back(std::make_unique<WithAnswers<Cell, double, Question<Cell>>>(
            std::move(question), plain));
    else
        list.push_back(
            std::make_unique<WithAnswers<Cell, float, Question<Cell>>>(std::move(question), plain));
}

template <typename Cell>
void addPicture(List &list, Engine &plain, std::int64_t width, std::int64_t height, int levels,
                int side, bool disk = false)
{
    list.push_back(std::make_unique<WithAnswers<Cell, float, Picture<Cell>>>(
        std::make_unique<Picture<Cell>>(width, height, levels, side, disk, list.size()), plain));
}

} // namespace

List allAsked(unsigned seed, int questions)
{
    EngineOptions options;
    options.method = "plain";
    options.path = "portable";
    Engine plain(options);
    List list;
    for (int i = 0; i < questions; ++i) {
        const unsigned number = seed + static_cast<unsigned>(i);
        switch (i % 5) {
        case 0: addQuestion<std::uint8_t>(list, plain, number); break;
        case 1: addQuestion<std::uint16_t>(list, plain, number); break;
        case 2: addQuestion<std::int16_t>(list, plain, number); break;
        case 3: addQuestion<float>(list, plain, number); break;
        default: addQuestion<bool>(list, plain, number); break;
        }
    }
    for (const int side : {3, 5, 9, 15, 31})
        addPicture<std::uint8_t>(list, plain, 500, 400, 256, side);
    for (const int side : {7, 21}) addPicture<std::uint8_t>(list, plain, 400, 300, 256, side, true);
    for (const int side : {5, 11, 63}) addPicture<std::uint8_t>(list, plain, 300, 200, 16, side);
    for (const int side : {5, 9}) addPicture<std::uint16_t>(list, plain, 300, 400, 65536, side);
    addPicture<float>(list, plain, 1000, 700, 16, 5); // the assignment's
    addPicture<std::uint8_t>(list, plain, 20000, 20, 256, 5);
    addPicture<std::uint8_t>(list, plain, 20, 20000, 256, 9);
    return list;
}

} // namespace soak
