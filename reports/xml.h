// Building XML with pugixml: every text passes through printable(), and pugixml escapes it.
#pragma once
#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace ropewalk::reports {

using XmlAttributes = std::initializer_list<std::pair<const char*, std::string>>;

// Appends an element and returns it.
pugi::xml_node add_element(pugi::xml_node parent, const char* name, XmlAttributes attributes = {},
                           std::string_view text = "");
// Appends text as it is to be read.
void add_text(pugi::xml_node parent, std::string_view text);
// The same, keeping line ends.
void add_lines(pugi::xml_node parent, std::string_view text);

// The document with a declaration, indented by two.
std::string xml_text(const pugi::xml_document& document);

// The node as a browser reads HTML: no declaration, no added white space, "<td></td>" for an empty element.
std::string html_text(const pugi::xml_node& node);

}  // namespace ropewalk::reports
