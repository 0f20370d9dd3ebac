// User objects: what graphs need as long as they live.
#include "lib/driver/api/graph_handles.h"

namespace ropewalk::driver {

namespace {

// Those of which the program has references. They are not destroyed with the process, as on a GPU.
std::map<const UserObject*, std::shared_ptr<UserObject>>& objects() {
  static auto& all = *new std::map<const UserObject*, std::shared_ptr<UserObject>>;
  return all;
}

constexpr unsigned most_references = 0x7fffffff;
constexpr bool is_count(unsigned count) { return count && count <= most_references; }

// As on a GPU, where nobody checks what is given up: how many references there are is not known any more, and the
// object is never destroyed.
void lose(const std::shared_ptr<UserObject>& object) {
  object->is_lost = true;
  objects()[object.get()] = object;
}

// The program gives up references. Null: there is no such object. It ends with what is returned, at the earliest.
std::shared_ptr<UserObject> give_up(const UserObject* object, unsigned count) {
  const auto at = objects().find(object);
  if (at == objects().end()) return nullptr;
  const std::shared_ptr<UserObject> out = at->second;
  if (out->references < count) lose(out);
  if (out->is_lost) return out;
  out->references -= count;
  if (!out->references) objects().erase(at);
  return out;
}

}  // namespace

RW_CUDA cuUserObjectCreate(UserObject** object, void* data, void (*destroy)(void*), unsigned references,
                           unsigned flags) {
  RW_CALL(call);
  RW_NEEDS(object, destroy);
  constexpr unsigned no_destructor_sync = 1;  // which is required
  if (!is_count(references) || flags != no_destructor_sync) return invalid_value;
  const auto made = std::make_shared<UserObject>([work = host_work([=] { destroy(data); })] { work(); }, references);
  objects()[made.get()] = made;
  *object = made.get();
  return success;
}

RW_CUDA cuUserObjectRetain(UserObject* object, unsigned count) {
  RW_CALL(call);
  const auto at = objects().find(object);
  if (at == objects().end() || !is_count(count)) return invalid_value;
  at->second->references += count;
  return success;
}

RW_CUDA cuUserObjectRelease(UserObject* object, unsigned count) {
  std::shared_ptr<UserObject> released;  // it may end here, once the session is free
  RW_CALL(call);
  if (!is_count(count)) return invalid_value;
  released = give_up(object, count);
  return released ? success : invalid_value;
}

RW_CUDA cuGraphRetainUserObject(Graph* graph, UserObject* object, unsigned count, unsigned flags) {
  RW_GRAPH(graph);
  constexpr unsigned move = 1;  // the program's own references become those of the graph
  const auto at = objects().find(object);
  if (at == objects().end() || !is_count(count) || flags > move) return invalid_value;
  const std::shared_ptr<UserObject> kept = flags == move ? give_up(object, count) : at->second;
  if (!kept) return invalid_value;
  graph->objects[kept] += count;
  return success;
}

RW_CUDA cuGraphReleaseUserObject(Graph* graph, UserObject* object, unsigned count) {
  std::shared_ptr<UserObject> released;
  RW_GRAPH(graph);
  const auto at = std::ranges::find_if(graph->objects, [&](const auto& one) { return one.first.get() == object; });
  if (at == graph->objects.end() || !is_count(count)) return invalid_value;
  if (at->second < count) lose(at->first);
  if (at->first->is_lost) return success;
  released = at->first;
  at->second -= count;
  if (!at->second) graph->objects.erase(at);
  return success;
}

}  // namespace ropewalk::driver
