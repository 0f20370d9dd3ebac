#include "reports/xml.h"

#include <algorithm>
#include <sstream>

#include "reports/printable.h"

namespace ropewalk::reports {

pugi::xml_node add_element(pugi::xml_node parent, const char* name, XmlAttributes attributes, std::string_view text) {
  pugi::xml_node node = parent.append_child(name);
  for (const auto& [key, value] : attributes) node.append_attribute(key) = printable(value).c_str();
  if (!text.empty()) add_text(node, text);
  return node;
}

void add_text(pugi::xml_node parent, std::string_view text) {
  parent.append_child(pugi::node_pcdata).set_value(printable(text).c_str());
}

void add_lines(pugi::xml_node parent, std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines += printable(text.substr(0, end));
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  parent.append_child(pugi::node_pcdata).set_value(lines.c_str());
}

std::string xml_text(const pugi::xml_document& document) {
  std::ostringstream out;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  document.save(out, "  ", pugi::format_default | pugi::format_no_declaration, pugi::encoding_utf8);
  return out.str();
}

std::string html_text(const pugi::xml_node& node) {
  std::ostringstream out;
  node.print(out, "", pugi::format_raw | pugi::format_no_empty_element_tags, pugi::encoding_utf8);
  return out.str();
}

}  // namespace ropewalk::reports
