// Walls around a program that is not trusted. Each is used where the system has it.
#pragma once

#include <string>
#include <vector>

namespace grade
{

/// Each wall has a name, for those who must leave one out, and for the report.
constexpr unsigned kProcesses = 1;  ///< "processes": it sees no other, and its own end with it
constexpr unsigned kNetwork = 2;    ///< "network"
constexpr unsigned kIpc = 4;        ///< "ipc": shared memory of System V
constexpr unsigned kMounts = 8;     ///< "mounts": what is covered is out of sight
constexpr unsigned kLandlock = 16;  ///< "landlock": files
constexpr unsigned kNobody = 32;    ///< "nobody": the user
constexpr unsigned kCalls = 64;     ///< "calls": the filter of system calls
constexpr unsigned kNameless = 128; ///< "nameless": it refuses memory that no process shows, too
constexpr unsigned kNamespaces = kProcesses | kNetwork | kIpc | kMounts;
constexpr unsigned kAllWalls = kNamespaces | kLandlock | kNobody | kCalls | kNameless;

/// The wall of that name, 0 if there is none.
unsigned wallNamed(const std::string &name);

/// An open directory or file, and what may be done in it.
struct Room
{
    std::string path;
    int descriptor;
    bool writable;
};

/// Opens `path` for allowOnly(), before it is covered. False if it is not there.
bool openRoom(const std::string &path, bool writable, std::vector<Room> &rooms);

/// Can this process have those namespaces of its own? Tried in a child.
bool namespacesWork(unsigned walls);

/// Enters them. The next child is the first process of its namespace: when it ends, all end.
bool enterNamespaces(unsigned walls);

/// In that child, where the walls hold mounts: /proc of the new namespace; if wanted, /tmp,
/// /dev/shm and the writable ones of `rooms` empty, small and in memory; `covered` emptied, but for
/// those of `rooms` that lie in it and are to be read.
bool furnish(unsigned walls, const std::vector<std::string> &covered, bool emptyTemporaries,
             std::vector<Room> &rooms);

/// From now on only the system's directories can be read and only `rooms` used, and /tmp and
/// /dev/shm if `temporaries`. Devices can be written to. By all that this system's Landlock knows:
/// before its version 3 files can be emptied elsewhere. False: no Landlock.
bool allowOnly(const std::vector<Room> &rooms, bool temporaries);

/// From root to the user nobody, for good; in the groups that may use the GPUs where not everybody
/// may. False if this is not root.
bool becomeNobody();

/// No new processes, no signals to others, no tracing; files are emptied only where they can be
/// written, and none gets another owner, mode, times or attributes; where the walls hold it, no
/// files and no segments without a name. False where the filter is not to be had.
bool filterCalls(unsigned walls);

} // namespace grade
