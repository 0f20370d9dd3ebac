#include "reports/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/raster.h"

namespace ropewalk::reports {
namespace {

const char* remark_of(RasterBand::Where where) {
  switch (where) {
    case RasterBand::Where::Before:
      return " before the start";
    case RasterBand::Where::Inside:
      return "";
    case RasterBand::Where::Past:
      return " past the end";
  }
  return "";
}

std::string cells_of(const RasterLine& line) {
  std::string text;
  for (const RasterCell& cell : line.cells) text += cell.outside ? 'X' : cell.inside ? 'o' : '.';
  return text;
}

}  // namespace

std::string scale_of(const Raster& raster, const Footprint& footprint, const char* cell) {
  const char* const unit = raster.per_cell == 1 ? "element" : "elements";
  std::string text =
      raster.flat ? fmt::format("a {} is {} {}", cell, raster.per_cell, unit)
                  : fmt::format("rows of {} elements, a {} is {} {} wide", raster.width, cell, raster.per_cell, unit);
  if (!footprint.complete) text += "; a sample of the hits";
  return text;
}

std::vector<std::string> picture_of(const Footprint& footprint) {
  const Raster raster = raster_of(footprint, {64, 4, 2});
  if (raster.bands.empty()) return {};
  size_t label_width = 0;
  for (const RasterBand& band : raster.bands) {
    for (const RasterLine& line : band.lines) label_width = std::max(label_width, raster.label_of(line).size());
  }
  std::vector<std::string> out;
  for (const RasterBand& band : raster.bands) {
    const char* remark = remark_of(band.where);  // stands at the band's first line
    for (const RasterLine& line : band.lines) {
      out.push_back(fmt::format("{:>{}} |{}|{}", raster.label_of(line), label_width, cells_of(line), remark));
      remark = "";
    }
  }
  std::string scale = scale_of(raster, footprint, "character");
  const size_t end = scale.find("; a sample");
  std::string legend;
  if (raster.hit_inside) legend += "; o inside";
  if (raster.hit_outside) legend += "; X outside";
  scale.insert(end == std::string::npos ? scale.size() : end, legend);
  out.push_back(fmt::format("{:>{}}  {}", "", label_width, scale));
  return out;
}

}  // namespace ropewalk::reports
