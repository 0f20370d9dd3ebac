#include "lib/driver/rank.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace ropewalk::driver {

namespace {

std::optional<u32> number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  if (!text) return std::nullopt;
  u32 number = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  return error == std::errc() && rest == end && rest != text ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<u32> rank_of_process() {
  if (const std::optional<u32> given = number_of("ROPEWALK_RANK")) return given;
  constexpr const char* launchers[][2] = {{"RANK", "WORLD_SIZE"},
                                          {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const auto& [rank, size] : launchers) {
    const std::optional<u32> found = number_of(rank);
    if (found && number_of(size).value_or(1) > 1) return found;
  }
  return std::nullopt;
}

}  // namespace ropewalk::driver
