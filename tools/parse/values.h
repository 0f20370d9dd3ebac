// Values of options from their text. Each throws InputError that names the flag, what it found and what it expected.
#pragma once
#include <string>
#include <vector>

#include "tools/options/shared.h"

namespace ropewalk::tools {

// A whole number from `low` to 2^64 - 1.
u64 read_count(const std::string& flag, const std::string& text, u64 low = 0);
i64 read_integer(const std::string& flag, const std::string& text);
// A number, no infinity and no NaN; the second also above 0.
double read_finite(const std::string& flag, const std::string& text);
double read_positive(const std::string& flag, const std::string& text);
// "0,5,9": whole numbers, separated by commas; at least one.
std::vector<i64> read_integers(const std::string& flag, const std::string& text);
// Bytes above 0: "4096", "512K", "512M", "16G".
u64 read_bytes(const std::string& flag, const std::string& text);
// Seconds above 0: "30s", "5m", "1h", "0.5s".
double read_seconds(const std::string& flag, const std::string& text);
// Seconds, or a number of cases.
Budget read_budget(const std::string& flag, const std::string& text);
// The position of `text` in `words`.
size_t read_word(const std::string& flag, const std::string& text, const std::vector<std::string>& words);

}  // namespace ropewalk::tools
