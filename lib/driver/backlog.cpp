#include "lib/driver/backlog.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "lib/driver/public_call.h"
#include "lib/driver/session.h"

namespace ropewalk::driver {

namespace {

// A function that ends within this time has ended when its call returns.
constexpr double patience = 0.1;

}  // namespace

std::vector<u64> Backlog::open(std::vector<u64> tickets) const {
  std::erase_if(tickets, [&](u64 ticket) { return is_done(ticket); });
  return tickets;
}

std::vector<u64> Backlog::all(const Context* context) const {
  std::vector<u64> out;
  for (const auto& [ticket, item] : pending_) {
    if (!context || item.at.context == context) out.push_back(ticket);
  }
  return out;
}

u64 Backlog::give(Item item) {
  item.name = PublicCall::name_or("");
  item.called_at = CallStack::here();
  item.at.line->last = ++given_;
  pending_.emplace(given_, std::move(item));
  return given_;
}

u64 Backlog::add(const StreamLine& at, std::vector<u64> after, std::function<void()> work) {
  return give({.at = at, .after = std::move(after), .work = std::move(work)});
}

void Backlog::call(const StreamLine& at, std::vector<u64> after, std::function<void()> function,
                   std::function<void()> then) {
  const bool waits = !after.empty();
  const u64 ticket =
      give({.at = at, .after = std::move(after), .work = std::move(then), .function = std::move(function)});
  if (waits) return;
  begin_function(ticket, pending_.at(ticket));
  AllUnlocked unlocked(session_);
  done_.wait_for(unlocked, std::chrono::duration<double>(patience), [&] { return is_done(ticket); });
}

void Backlog::begin_function(u64 ticket, Item& item) {
  item.is_begun = true;
  std::thread([this, ticket, function = item.function] {
    function();
    const Held held(session_);
    finish(ticket);
    advance();
  }).detach();
}

void Backlog::finish(u64 ticket) {
  const auto item = pending_.find(ticket);
  if (item == pending_.end()) return;
  // Findings name the call that the program made, and its location.
  const std::string name = item->second.name;
  const CallStack::Instead instead(item->second.called_at);
  if (name.empty()) {
    item->second.work();
  } else {
    const PublicCall call(name.c_str());
    item->second.work();
  }
  pending_.erase(ticket);
}

void Backlog::advance() {
  const auto is_ready = [&](const auto& one) { return !one.second.is_begun && open(one.second.after).empty(); };
  for (auto at = pending_.begin(); at != pending_.end();) {
    const u64 ticket = at->first;
    if (!is_ready(*at)) {
      ++at;
    } else if (at->second.function) {
      begin_function(ticket, (at++)->second);
    } else {
      at->second.is_begun = true;
      finish(ticket);
      at = pending_.begin();
    }
  }
  done_.notify_all();
}

void Backlog::wait(const std::vector<u64>& tickets) {
  if (open(tickets).empty()) return;
  AllUnlocked unlocked(session_);
  done_.wait(unlocked, [&] { return open(tickets).empty(); });
}

bool Backlog::wait_for_all(double seconds) {
  const std::vector<u64> tickets = all(nullptr);
  if (tickets.empty()) return true;
  AllUnlocked unlocked(session_);
  return done_.wait_for(unlocked, std::chrono::duration<double>(seconds), [&] { return open(tickets).empty(); });
}

}  // namespace ropewalk::driver
