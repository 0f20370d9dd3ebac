#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lib/base/shape.h"
#include "reports/facts.h"
#include "reports/html_parts.h"
#include "reports/picture.h"
#include "reports/readable.h"
#include "reports/xml.h"

namespace ropewalk::reports {
namespace {

// In units of the drawing.
constexpr i64 cell_width = 10, cell_height = 9;
constexpr i64 label_width = 92, band_gap = 8, remark_height = 14;

std::string units(i64 number) { return std::to_string(number); }

// Errors over what is allowed at which a step ends; the last step has none.
constexpr float error_steps[] = {10, 1000, 100000};

// In four steps, how large the cell's largest error is, or how much of the cell is hit: a single element must still be
// seen.
int step_of(const RasterCell& cell, bool by_error) {
  if (by_error)
    return 1 + int(std::upper_bound(std::begin(error_steps), std::end(error_steps), cell.error) - error_steps);
  const double share = double(cell.inside + cell.outside) / double(std::max<u64>(1, cell.elements));
  return share > 0.75 ? 4 : share > 0.4 ? 3 : share > 0.1 ? 2 : 1;
}

std::string class_of(const RasterCell& cell, bool by_error) {
  const char* const where = cell.outside ? "out" : cell.inside ? "in" : "";
  return *where ? fmt::format("{}{} s{}", where, by_error ? " heat" : "", step_of(cell, by_error)) : "";
}

// Neighbouring cells that look alike are one rectangle.
void draw_line(pugi::xml_node svg, const RasterLine& line, bool by_error, i64 y) {
  const size_t count = line.cells.size();
  for (size_t first = 0, next = 0; first < count; first = next) {
    const std::string look = class_of(line.cells[first], by_error);
    for (next = first; next < count && class_of(line.cells[next], by_error) == look;) ++next;
    if (look.empty()) continue;
    add_element(svg, "rect",
                {{"class", look},
                 {"x", units(label_width + i64(first) * cell_width)},
                 {"y", units(y)},
                 {"width", units(i64(next - first) * cell_width)},
                 {"height", units(cell_height)}});
  }
}

// Labels stand at the first and the last line and at every fourth between, where they do not crowd.
bool is_labelled(size_t line, size_t count) {
  return line == 0 || line + 1 == count || (line % 4 == 0 && line + 3 < count);
}

i64 draw_band(pugi::xml_node svg, const Raster& raster, const RasterBand& band, i64 y) {
  const bool is_inside = band.where == RasterBand::Where::Inside;
  const i64 width = i64(band.lines.front().cells.size()) * cell_width;
  if (!is_inside) {
    const char* const remark = band.where == RasterBand::Where::Past ? "past the end" : "before the start";
    add_element(svg, "text", {{"class", "remark"}, {"x", units(label_width)}, {"y", units(y + 9)}}, remark);
    y += remark_height;
  }
  add_element(svg, "rect",
              {{"class", is_inside ? "body" : "beyond"},
               {"x", units(label_width)},
               {"y", units(y)},
               {"width", units(width)},
               {"height", units(i64(band.lines.size()) * cell_height)}});
  for (size_t n = 0; n < band.lines.size(); ++n) {
    draw_line(svg, band.lines[n], raster.has_errors, y);
    if (is_labelled(n, band.lines.size())) {
      add_element(svg, "text", {{"class", "label"}, {"x", units(label_width - 6)}, {"y", units(y + 8)}},
                  raster.label_of(band.lines[n]));
    }
    y += cell_height;
  }
  return y;
}

std::string description_of(const Footprint& footprint, const Raster& raster) {
  const char* const where = !raster.hit_outside ? "inside the tensor"
                            : raster.hit_inside ? "inside and outside the tensor"
                                                : "outside the tensor";
  return fmt::format("{}{}: {} hit {}", readable(footprint.tensor), text_of(footprint.shape),
                     counted(footprint.elements.size(), "element"), where);
}

}  // namespace

void add_picture(pugi::xml_node parent, const Footprint& footprint) {
  const Raster raster = raster_of(footprint, {64, 16, 5});
  if (raster.bands.empty()) return;
  const pugi::xml_node figure = add_element(parent, "figure");
  const std::string description = description_of(footprint, raster);
  pugi::xml_node svg = add_element(figure, "svg", {{"role", "img"}, {"aria-label", description}});
  i64 y = 4;
  for (size_t n = 0; n < raster.bands.size(); ++n) y = draw_band(svg, raster, raster.bands[n], n ? y + band_gap : y);
  const i64 width = label_width + i64(raster.bands.front().lines.front().cells.size()) * cell_width + 2;
  svg.append_attribute("viewBox") = fmt::format("0 0 {} {}", width, y + 2).c_str();
  svg.append_attribute("style") = fmt::format("max-width:{}px", width).c_str();
  const pugi::xml_node caption = add_element(figure, "figcaption");
  add_text(caption, description + "; " + scale_of(raster, footprint, "cell") + ". ");
  if (raster.has_errors) {
    add_text(caption, "Errors over what is allowed: ");
    add_element(caption, "span", {{"class", "key in s1"}}, "up to 10 times");
    add_element(caption, "span", {{"class", "key in s2"}}, "up to 1,000");
    add_element(caption, "span", {{"class", "key in s3"}}, "up to 100,000");
    add_element(caption, "span", {{"class", "key in s4"}}, "more");
    return;
  }
  if (raster.hit_inside) add_element(caption, "span", {{"class", "key in"}}, "inside");
  if (raster.hit_outside) add_element(caption, "span", {{"class", "key out"}}, "outside");
}

}  // namespace ropewalk::reports
