// Walls around a program that is not trusted. Each is used where the system has it.
#pragma once

#include <string>
#include <vector>

namespace grade
{

/// An open directory or file, and what may be done in it.
struct Room
{
    int descriptor;
    bool writable;
};

/// Opens `path` for allowOnly(), before it is covered. False if it is not there.
bool openRoom(const std::string &path, bool writable, std::vector<Room> &rooms);

/// Can this process have process, network and mount namespaces of its own? Tried in a child.
bool namespacesWork();

/// Enters them. The next child is the first process of its namespace: when it ends, all end.
bool enterNamespaces();

/// In that child: /proc of the new namespace, empty /tmp and /dev/shm if wanted, `covered` emptied.
bool furnish(const std::vector<std::string> &covered, bool emptyTemporaries);

/// From now on only the system's directories can be read and only `rooms` used, and /tmp and
/// /dev/shm if `temporaries`. False: no Landlock.
bool allowOnly(const std::vector<Room> &rooms, bool temporaries);

/// From root to the user nobody, for good. False if this is not root.
bool becomeNobody();

/// No new processes, no signals to others, no tracing. False where the filter is not to be had.
bool filterCalls();

} // namespace grade
