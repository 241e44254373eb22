// Files and programs for the tests.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

/// A directory of its own, gone with everything in it at the end.
class TemporaryDirectory
{
public:
    TemporaryDirectory()
    {
        char name[] = "/tmp/entropy-test-XXXXXX";
        if (!mkdtemp(name)) std::abort();
        directory = name;
    }
    ~TemporaryDirectory()
    {
        if (std::system(("rm -rf " + directory).c_str()) != 0) std::perror(directory.c_str());
    }
    TemporaryDirectory(const TemporaryDirectory &) = delete;
    TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

    std::string path(const std::string &name) const { return directory + "/" + name; }

    /// Number of files in it.
    int files() const
    {
        std::FILE *list = popen(("ls -A " + directory + " | wc -l").c_str(), "r");
        int count = -1;
        if (!list || std::fscanf(list, "%d", &count) != 1) count = -1;
        if (list) pclose(list);
        return count;
    }

private:
    std::string directory;
};

/// A file of that name with those bytes, in a directory of its own.
class TemporaryFile
{
public:
    TemporaryFile(const std::string &name, const std::string &bytes)
        : filePath(directory.path(name))
    {
        std::ofstream(filePath, std::ios::binary) << bytes;
    }
    const std::string &path() const { return filePath; }

private:
    TemporaryDirectory directory;
    std::string filePath;
};

inline std::string contentsOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// What a program did.
struct Outcome
{
    int status; ///< exit status; -1 if it did not exit
    std::string output, errors;
};

/// Runs a shell command and catches standard output and standard error.
inline Outcome runCommand(const std::string &command)
{
    const TemporaryDirectory directory;
    const std::string output = directory.path("out"), errors = directory.path("err");
    const int status = std::system(("{ " + command + "\n} >" + output + " 2>" + errors).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentsOf(output), contentsOf(errors)};
}
