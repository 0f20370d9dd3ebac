// Text out of untrusted files, made fit to be shown.
#pragma once
#include <string>
#include <string_view>

namespace ropewalk::reports {

// The text as valid UTF-8 without control characters, so that a name out of a file can neither steer a terminal nor
// break a document: control characters are shown as \xNN (a tab as a blank, C1 controls as \u0080), bytes that are no
// UTF-8 and characters that XML 1.0 forbids become U+FFFD.
std::string printable(std::string_view text);

// The text with "&", "<", ">" and quotes as character references, after printable().
std::string escaped_for_html(std::string_view text);

}  // namespace ropewalk::reports
