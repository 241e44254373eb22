#include "bench/filter_rows.h"

#include "bench/picture.h"
#include "bench/scene.h"

#include <algorithm>
#include <ctime>
#include <memory>

namespace bench
{

const std::vector<Column> kFilterColumns = {
    {"case", false},    {"type", false},  {"levels", false}, {"window", false},
    {"content", false}, {"path"},         {"method"},        {"chosen", false},
    {"threads"},        {"width", false}, {"height", false}};

const std::string &filterKey(const std::vector<std::string> &keys, const std::string &name)
{
    const auto found = std::find_if(kFilterColumns.begin(), kFilterColumns.end(),
                                    [&](const Column &column) { return column.name == name; });
    return keys.at(static_cast<std::size_t>(found - kFilterColumns.begin()));
}

namespace
{

/// Where a filter is timed, beside the method.
struct Place
{
    std::string content, path;
    int threads;
};

std::vector<Place> placesOf(const FilterOptions &options, const std::string &content)
{
    std::vector<Place> places;
    for (const int threads : options.threads)
        for (const std::string &path : options.paths) {
            const int departures = (content != options.contents[0]) +
                                   (threads != options.threads[0]) + (path != options.paths[0]);
            if (options.cross || departures <= 1) places.push_back({content, path, threads});
        }
    return places;
}

Engine engineOf(const Place &place, const std::string &method)
{
    local_entropy::EngineOptions options;
    options.path = place.path;
    options.threads = place.threads;
    options.method = method;
    return Engine(options);
}

/// A row's method: what an engine is asked for, empty for its own choice, and the name of that.
struct Asked
{
    std::string method, name;
    bool isChosen;
    bool mayLack = false; ///< what it needs: nobody has named it
};

/// Those to be timed, the chosen ones first.
std::vector<Asked> methodsOf(const FilterOptions &options, const Place &place, const Scene &scene)
{
    const std::string chosen = scene.methodsFor(engineOf(place, ""));
    std::vector<Asked> methods;
    if (options.chosenToo) methods.push_back({"", chosen, true});
    for (const std::string &method : options.methods) {
        const bool isChosen = method == chosen;
        if (isChosen && options.chosenToo) continue; // it is there
        if (scene.methodsFor(engineOf(place, method)).empty()) continue;
        const bool isNamed =
            std::find(options.named.begin(), options.named.end(), method) != options.named.end();
        methods.push_back({method, method, isChosen, !isNamed});
    }
    return methods;
}

/// Milliseconds of this thread's, on the processor.
double threadTime()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// `ownTime`: the work's clock is the thread's time instead of the time of the day.
Work workOf(const std::shared_ptr<Scene> &scene, const Place &place, const std::string &method,
            bool ownTime)
{
    const auto engine = std::make_shared<Engine>(engineOf(place, method));
    scene->poison();
    Work work;
    work.validate = [=] { scene->validate(*engine); };
    work.run = [=] { scene->run(*engine); };
    work.check = [=] { scene->check(); };
    if (!ownTime) return work;
    const auto milliseconds = std::make_shared<double>(0);
    work.run = [=] {
        const double begin = threadTime();
        scene->run(*engine);
        *milliseconds = threadTime() - begin;
    };
    work.milliseconds = [=] { return *milliseconds; };
    return work;
}

Row rowOf(const FilterCase &one, const std::shared_ptr<Scene> &scene, const Place &place,
          const Asked &asked, bool ownTime)
{
    Row row;
    row.keys = {one.name(),
                one.type,
                std::to_string(one.filter.levels.count),
                one.window,
                place.content,
                place.path,
                asked.name,
                asked.isChosen ? "yes" : "no",
                std::to_string(place.threads),
                std::to_string(scene->width()),
                std::to_string(scene->height())};
    row.results = static_cast<double>(scene->width()) * scene->height();
    row.open = [=] { return workOf(scene, place, asked.method, ownTime); };
    row.mayLack = asked.mayLack;
    return row;
}

std::vector<Row> rowsOf(const FilterCase &one, const std::string &content,
                        const FilterOptions &options)
{
    std::vector<Row> rows;
    const auto scene = std::make_shared<Scene>(one, content, options.width, options.height);
    for (const Place &place : placesOf(options, content))
        for (const Asked &asked : methodsOf(options, place, *scene))
            rows.push_back(
                rowOf(one, scene, place, asked, options.within > 0 && place.threads == 1));
    return rows;
}

} // namespace

Case filterCase(const FilterCase &one, const std::string &content, const FilterOptions &options)
{
    const bool first = content == options.contents[0];
    return {
        one.name() + ", " + content, first ? one.what() : "",
        static_cast<double>(cellBytes(one.type) + (one.isDouble ? sizeof(double) : sizeof(float))),
        [&one, content, &options] { return rowsOf(one, content, options); }};
}

} // namespace bench
