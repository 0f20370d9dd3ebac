// A map that copies share until one of them is changed: ways through a source are many and differ in little.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ropewalk::compat {

template <class Value>
class SharedMap {
 public:
  using Map = std::map<std::string, Value>;

  const Map& operator*() const { return *map_; }
  const Map* operator->() const { return map_.get(); }
  auto begin() const { return map_->begin(); }
  auto end() const { return map_->end(); }
  bool operator==(const SharedMap& other) const { return map_ == other.map_ || *map_ == *other.map_; }

  // For a change.
  Map& own() {
    if (map_.use_count() > 1) map_ = std::make_shared<Map>(*map_);
    return *map_;
  }
  void erase(const std::string& name) {
    if (map_->contains(name)) own().erase(name);
  }
  template <class Holds>
  void erase_if(Holds holds) {
    for (const auto& entry : *map_) {
      if (holds(entry)) {
        std::erase_if(own(), holds);
        return;
      }
    }
  }

 private:
  static std::shared_ptr<Map> nothing() {
    static const std::shared_ptr<Map> empty = std::make_shared<Map>();
    return empty;
  }
  std::shared_ptr<Map> map_ = nothing();
};

}  // namespace ropewalk::compat
