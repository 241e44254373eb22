// A CSV file of measurements: a header, then rows; rewritten whole whenever rows are added.
#pragma once

#include "common/output_file.h"

#include <cstdio>
#include <string>
#include <vector>

namespace common
{

/// A measured value as a cell: six significant digits.
inline std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

/// One table. Cells with a comma, a quote or a line break are quoted (RFC 4180).
class Csv
{
public:
    explicit Csv(std::vector<std::string> header) : columns(header.size()) { add(header); }

    void add(const std::vector<std::string> &row)
    {
        if (row.size() != columns)
            throw Error("a CSV row has " + std::to_string(row.size()) + " cells, its header " +
                        std::to_string(columns));
        for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + quoted(row[i]);
        text += '\n';
    }

    void save(const std::string &path) const
    {
        OutputFile file(path);
        file.write(text);
        file.commit();
    }

    const std::string &str() const { return text; }

private:
    static std::string quoted(const std::string &cell)
    {
        if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
        std::string result = "\"";
        for (const char c : cell) result += c == '"' ? std::string("\"\"") : std::string(1, c);
        return result + '"';
    }

    std::size_t columns;
    std::string text;
};

} // namespace common
