// Scripts of the project in a tree of their own, with programs in place of those that they call.
#pragma once

#include "temporary.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

/// A tree of scripts. Those in bin/ come before the system's.
class Scripts
{
public:
    void add(const std::string &name, const std::string &lines) const
    {
        const std::filesystem::path path = directory.path(name);
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << "#!/bin/sh\n" << lines;
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    void copy(const std::string &name) const
    {
        const std::filesystem::path path = directory.path(name);
        std::filesystem::create_directories(path.parent_path());
        std::filesystem::copy_file(name, path);
    }
    Outcome run(const std::string &command) const
    {
        return runCommand("cd " + directory.path("") + " && PATH=$PWD/bin:$PATH " + command);
    }
    std::string contents(const std::string &name) const { return contentsOf(directory.path(name)); }

private:
    TemporaryDirectory directory;
};

inline std::string replaced(const std::string &text, const std::string &pattern,
                            const std::string &by)
{
    return std::regex_replace(text, std::regex(pattern), by);
}
