#include "lib/compat/state.h"

#include <algorithm>
#include <functional>

namespace ropewalk::compat {
namespace {

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Where the name begins in the text, from there on; npos: nowhere.
size_t find_name(const std::string& text, const std::string& name, size_t from) {
  for (size_t at = text.find(name, from); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '.');
    const bool ends = at + name.size() == text.size() || !is_word(text[at + name.size()]);
    if (begins && ends) return at;
  }
  return std::string::npos;
}

}  // namespace

bool mentions(const std::string& text, const std::string& name) {
  return find_name(text, name, 0) != std::string::npos;
}

std::string renamed(std::string text, const std::string& name, const std::string& as) {
  for (size_t at = find_name(text, name, 0); at != std::string::npos; at = find_name(text, name, at + as.size())) {
    text.replace(at, name.size(), as);
  }
  return text;
}

std::string name_in(const std::string& text, bool subscripts) {
  size_t end = text.size();
  if (subscripts && text.find('[') != std::string::npos) end = text.find('[');
  size_t begin = 0;
  for (size_t n = 0; n < end; ++n) {
    if (text[n] == '.')
      begin = n + 1;
    else if (!is_word(text[n]))
      return "";
  }
  while (end > begin && text[end - 1] == '_') --end;
  if (begin == end || (text[begin] >= '0' && text[begin] <= '9')) return "";
  const std::string name = text.substr(begin, end - begin);
  return name == "None" || name == "True" || name == "False" ? "" : name;
}

std::string depends_on(const std::string& test) {
  return test.empty() ? "" : "depends on a test that cannot be computed: " + test;
}

AbstractValue AbstractValue::of(PythonConstant constant) {
  AbstractValue value;
  value.kind = Kind::Constant;
  value.constant = std::move(constant);
  return value;
}

AbstractValue AbstractValue::of_more(Kind kind) {
  AbstractValue value{kind};
  value.open = true;
  return value;
}

std::optional<bool> AbstractValue::has_items() const {
  if (!is_collection() || (open && items.empty())) return std::nullopt;
  return !items.empty();
}

std::optional<bool> AbstractValue::has_key(const std::string& key) const {
  if (kind != Kind::Keywords) return std::nullopt;
  const bool found = std::ranges::find(items, key, &NamedText::name) != items.end();
  return found || !open ? std::optional(found) : std::nullopt;
}

void AbstractValue::blur() {
  open = true;
  if (kind != Kind::Keywords) return;
  for (NamedText& item : items) item.text = "...";
}

void AbstractValue::put(const std::string& key, const std::string& text) {
  const auto known = std::ranges::find(items, key, &NamedText::name);
  if (known != items.end()) {
    known->text = text;
  } else {
    items.push_back({key, text});
  }
}

void AbstractValue::erase_key(const std::string& key) {
  std::erase_if(items, [&](const NamedText& item) { return item.name == key; });
}

void AbstractValue::join(const AbstractValue& other, Kind of_kind) {
  if (other.kind != of_kind || other.open) blur();
  if (other.kind != of_kind) return;
  for (const NamedText& item : other.items) {
    if (of_kind == Kind::Keywords)
      put(item.name, item.text);
    else
      items.push_back(item);
  }
}

std::string PythonState::why_unclear() const { return unclear.empty() ? "" : depends_on(*unclear.begin()); }

const AbstractValue* PythonState::find(const std::string& name) const {
  const auto found = values->find(name);
  return found == values->end() ? nullptr : &found->second;
}

void PythonState::set(const std::string& name, AbstractValue value) {
  if (value.kind == AbstractValue::Kind::Unknown) {
    values.erase(name);
  } else {
    values.own()[name] = std::move(value);
  }
  at_run_time.erase(name);
  decided.erase_if([&](const auto& one) { return mentions(one.first, name); });
  domains.erase_if([&](const auto& one) { return mentions(one.first, name); });
}

void PythonState::doubt(const std::set<std::string>& names) {
  using Kind = AbstractValue::Kind;
  for (const std::string& name : names) {
    at_run_time.erase(name);
    const AbstractValue* const known = find(name);
    if (!known || known->kind == Kind::Constant || known->kind == Kind::Imported || known->kind == Kind::Defined) {
      set(name, {});
    }
  }
}

void PythonState::open_items(const std::set<std::string>& assigned, const std::set<std::string>& changed) {
  for (const std::string& name : assigned) {
    const AbstractValue* const known = find(name);
    if (known && known->is_collection()) set(name, {});
  }
  for (const std::string& name : changed) {
    const AbstractValue* const known = find(name);
    if (known && known->is_collection()) values.own()[name].blur();
  }
}

void PythonState::forget_items(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    const AbstractValue* const known = find(name);
    if (!known || !known->constant || !known->constant->elements()) continue;
    AbstractValue rest = *known;
    rest.constant.reset();
    set(name, rest.kind == AbstractValue::Kind::Constant ? AbstractValue{} : rest);
  }
}

std::set<std::string> names_of_words(const std::string& words) {
  std::set<std::string> names;
  for (size_t begin = 0; begin < words.size();) {
    const size_t end = std::min(words.find(' ', begin), words.size());
    names.insert(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::optional<PackageVersion> version_in_name(const std::string& name) {
  if (!name.ends_with("_plus")) return std::nullopt;
  const std::string front = name.substr(0, name.size() - 5);
  size_t begin = front.size();
  while (begin > 0 && (front[begin - 1] == '_' || (front[begin - 1] >= '0' && front[begin - 1] <= '9'))) --begin;
  std::string digits = front.substr(begin);
  while (digits.starts_with("_")) digits.erase(0, 1);
  std::replace(digits.begin(), digits.end(), '_', '.');
  return digits.empty() ? std::nullopt : parse_version(digits);
}

bool same_package(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto plain = [](char c) {
      return c == '_' || c == '.' ? '-' : char(std::tolower(static_cast<unsigned char>(c)));
    };
    return plain(x) == plain(y);
  });
}

size_t PythonState::hash() const {
  size_t all = 0;
  const auto add = [&](size_t part) { all = all * 1099511628211u + part; };
  const auto add_text = [&](const std::string& text) { add(std::hash<std::string>()(text)); };
  for (const auto& [name, value] : values) {
    add_text(name);
    add(size_t(value.kind) * 2 + (value.constant && value.constant->truth()));
    add_text(value.name);
    for (const NamedText& item : value.items) add_text(item.name + "=" + item.text);
  }
  for (const auto& [condition, truth] : decided) {
    add_text(condition);
    add(truth);
  }
  for (const std::string& test : unclear) add_text(test);
  for (const std::string& name : at_run_time) add_text(name);
  for (const auto& [expression, domain] : domains) {
    add_text(expression);
    for (const std::string& text : domain.excluded) add_text(text);
    if (!domain.among) continue;
    for (const std::string& text : *domain.among) add_text(text);
  }
  return all;
}

}  // namespace ropewalk::compat
