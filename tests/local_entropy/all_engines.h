// Engines of all kinds that this machine has.
#pragma once

#include "local_entropy/engine.h"

#include <string>
#include <utility>
#include <vector>

/// For every method and path, with one thread or with three; and what each is called.
inline std::vector<std::pair<std::string, local_entropy::Engine>> allEngines()
{
    std::vector<std::pair<std::string, local_entropy::Engine>> engines;
    std::vector<std::string> methods = local_entropy::Engine::methods();
    methods.push_back(""); // the engine's choice
    for (const std::string &path : local_entropy::Engine::paths())
        for (const std::string &method : methods) {
            local_entropy::EngineOptions options;
            options.path = path;
            options.method = method;
            options.threads = engines.size() % 2 ? 3 : 1;
            engines.emplace_back((method.empty() ? "best" : method) + " on " + path,
                                 local_entropy::Engine(options));
        }
    return engines;
}
