// The images that filters are timed on, on GPUs and from host memory, and the right answers.
#pragma once

#include "bench/launch_grid.h"
#include "bench/picture.h"

#include <map>
#include <string>
#include <vector>

namespace bench
{

/// Keeps what rows that follow each other have in common: making images and answers takes longer
/// than what is timed.
class LaunchPictures
{
public:
    /// The sides of the largest image. Smaller ones are its upper left part.
    LaunchPictures(int width, int height) : width(width), height(height) {}

    /// Valid until the next call. With the mask, where the case has one.
    const Picture &picture(const FilterCase &one, const LaunchImage &image);

    /// What the CPU makes of that picture: image.height rows of image.width results. Valid until
    /// the next call for another picture.
    const std::vector<float> &answer(const FilterCase &one, const LaunchImage &image);

private:
    const Picture &whole(const FilterCase &one, const std::string &content);

    const int width, height;
    std::string kind;                      ///< cells and levels of the pictures in `wholes`
    std::map<std::string, Picture> wholes; ///< by content
    Picture part;
    std::string partOf, answerOf; ///< what they were made for
    std::vector<float> results;
    Engine cpu;
};

} // namespace bench
