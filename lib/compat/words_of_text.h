// What the text of a source has in it, before it is read as Python.
#pragma once
#include <string>

namespace ropewalk::compat {

// Whether the text has the word, and not only as a part of another.
bool has_word(const std::string& text, const std::string& word);

// Whether the text gives an attribute of this name something, `flags.NAME = ..`, not of self or cls, or gives a
// collection of this name an item, `NAME["softcap"] = ..`.
bool gives_attribute(const std::string& text, const std::string& name);

}  // namespace ropewalk::compat
