// The parts of the HTML page.
#pragma once
#include <pugixml.hpp>

#include "reports/report.h"

namespace ropewalk::reports {

extern const char* const page_style;   // CSS
extern const char* const page_script;  // JavaScript: copying, and opening everything for print

// Appends one finding as an <article> with the anchor "finding-ID-NUMBER".
void add_finding(pugi::xml_node parent, const Finding& finding, size_t number, const SourceExcerpts& sources);
std::string anchor_of(const Finding& finding, size_t number);

// Appends a <figure>: the tensor as a raster with what was hit. Nothing where the finding has no footprint.
void add_picture(pugi::xml_node parent, const Footprint& footprint);

// Appends the command with a button that copies it. anchor: an id that the page has once.
void add_command(pugi::xml_node parent, const std::string& command, const std::string& anchor);

// Appends a badge: "error", "warning", "note".
void add_badge(pugi::xml_node parent, Severity severity);

}  // namespace ropewalk::reports
