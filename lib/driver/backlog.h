// Work of streams that cannot be done when it is given, for it comes after a host function that has not ended. A host
// function runs on a thread of its own, and so does what waits for it, once it has ended.
#pragma once
#include <condition_variable>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/driver/call_stack.h"
#include "lib/driver/lines.h"

namespace ropewalk::driver {

// Not safe for several threads: the session's mutex is held.
class Backlog {
 public:
  explicit Backlog(Session& session) : session_(session) {}

  bool is_empty() const { return pending_.empty(); }
  // Tickets number what was given; 0 stands for what is done.
  bool is_done(u64 ticket) const { return !pending_.contains(ticket); }
  // Those of them that are not done.
  std::vector<u64> open(std::vector<u64> tickets) const;

  // Work that is done once these are; it becomes the last of its stream.
  u64 add(const StreamLine& at, std::vector<u64> after, std::function<void()> work);
  // A function of the program's, which is called without the mutex, and `then` with it. The call goes on after a short
  // while, whether or not it has ended.
  void call(const StreamLine& at, std::vector<u64> after, std::function<void()> function, std::function<void()> then);

  // The calling thread waits, without the mutex, until these are done.
  void wait(const std::vector<u64>& tickets);
  // All that is given to the context so far; of all contexts, where it is null.
  std::vector<u64> all(const Context* context) const;
  // The same as wait(all(nullptr)), but not for longer than so many seconds. False: it is not done.
  bool wait_for_all(double seconds);
  // In the child of a fork: these threads are the parent's.
  void forget() { pending_.clear(); }

 private:
  struct Item {
    StreamLine at;
    std::vector<u64> after;
    std::function<void()> work;      // with the mutex; of a function, what is done once it has ended
    std::function<void()> function;  // without; empty: there is none
    bool is_begun = false;
    std::string name;  // of the call, and where it was made
    CallStack called_at;
  };
  u64 give(Item item);
  void begin_function(u64 ticket, Item& item);
  void finish(u64 ticket);
  void advance();

  Session& session_;
  u64 given_ = 0;
  std::map<u64, Item> pending_;
  std::condition_variable_any done_;
};

}  // namespace ropewalk::driver
