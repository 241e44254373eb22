#include "bench/images.h"

#include "bench/picture.h"
#include "common/csv.h"
#include "common/output_file.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace bench
{
namespace
{

/// An array of `height` rows in NumPy's format, version 1.0 (numpy.lib.format): a magic string, the
/// length of a header that fills 64 bytes, or a multiple, together with what stands before it.
void writeNpy(const std::string &path, const std::string &type, int width, int height,
              const void *cells, std::size_t bytes)
{
    const std::string npyType = type == "uint8" ? "|u1" : type == "uint16" ? "<u2" : "<f4";
    std::string header = "{'descr': '" + npyType + "', 'fortran_order': False, 'shape': (" +
                         std::to_string(height) + ", " + std::to_string(width) + "), }";
    constexpr std::size_t kBefore = 10, kBlock = 64;
    header.append(kBlock - 1 - (kBefore + header.size()) % kBlock, ' ');
    header += '\n';
    common::OutputFile file(path);
    file.write(std::string("\x93NUMPY\x01\0", 8));
    const unsigned char length[2] = {static_cast<unsigned char>(header.size() % 256),
                                     static_cast<unsigned char>(header.size() / 256)};
    file.write(length, sizeof length);
    file.write(header);
    file.write(cells, bytes);
    file.commit();
}

void writePicture(const std::string &path, const std::string &type, const Picture &picture)
{
    std::visit(
        [&](const auto &cells) {
            writeNpy(path, type, picture.width, picture.height, cells.data(),
                     cells.size() * sizeof cells[0]);
        },
        picture.cells);
}

void writeCase(const FilterCase &one, const FilterOptions &options)
{
    const std::string start = options.images + "/" + one.name();
    const Picture picture = makePicture(one.type, options.contents[0], one.filter.levels.count,
                                        options.width, options.height);
    Filter filter = one.filter;
    filter.base = local_entropy::Base::Two;
    std::vector<float> result(static_cast<std::size_t>(options.width) * options.height);
    Engine engine;
    compute(engine, filter, picture, result.data());
    std::vector<std::uint8_t> footprint = filter.window.footprint;
    footprint.resize(static_cast<std::size_t>(filter.window.width) * filter.window.height, 1);
    writePicture(start + ".image.npy", one.type, picture);
    writeNpy(start + ".footprint.npy", "uint8", filter.window.width, filter.window.height,
             footprint.data(), footprint.size());
    writeNpy(start + ".result.npy", "float32", options.width, options.height, result.data(),
             result.size() * sizeof result[0]);
}

} // namespace

void writeImages(const FilterOptions &options)
{
    if (mkdir(options.images.c_str(), 0777) != 0 && errno != EEXIST)
        throw common::Error(options.images + " cannot be made: " + std::strerror(errno));
    common::Csv csv({"case", "type", "levels", "window", "content"});
    for (const FilterCase &one : options.cases) {
        writeCase(one, options);
        csv.add({one.name(), one.type, std::to_string(one.filter.levels.count), one.window,
                 options.contents[0]});
    }
    csv.save(options.images + "/cases.csv");
}

} // namespace bench
