// A problem of any family, for those who pass problems on and know none of them.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/types.h"
#include "lib/problem/attention.h"
#include "lib/problem/rotary.h"

namespace ropewalk {

// A problem is a value with a name for its kind, a seed of its inputs, a text form and an equality: RotaryProblem,
// AttentionProblem.
class Problem {
 public:
  Problem() = default;  // none yet
  template <class P>
  requires requires { P::kind; }
  Problem(P problem) : held_(std::make_unique<Holder<P>>(std::move(problem))) {}
  Problem(const Problem& other) : held_(other.held_ ? other.held_->copy() : nullptr) {}
  Problem(Problem&&) = default;
  Problem& operator=(const Problem& other) { return *this = Problem(other); }
  Problem& operator=(Problem&&) = default;

  // The problem itself; null where it is of another kind.
  template <class P>
  const P* as() const {
    const auto* holder = dynamic_cast<const Holder<P>*>(held_.get());
    return holder ? &holder->problem : nullptr;
  }
  // The same, by those who know the kind. Throws InternalError where it is of another one.
  template <class P>
  const P& get() const {
    if (const P* problem = as<P>()) return *problem;
    throw InternalError("a problem is no " + std::string(P::kind) + " problem");
  }
  template <class P>
  P& get() {
    return const_cast<P&>(std::as_const(*this).get<P>());
  }

  friend std::string_view kind_of(const Problem& problem) { return problem.held().kind(); }
  friend std::string text_of(const Problem& problem) { return problem.held().text(); }
  friend u64 seed_of(const Problem& problem) { return problem.held().seed(); }
  friend bool operator==(const Problem& one, const Problem& other) {
    return !one.held_ || !other.held_ ? !one.held_ && !other.held_ : one.held_->is(*other.held_);
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual std::unique_ptr<Held> copy() const = 0;
    virtual std::string_view kind() const = 0;
    virtual std::string text() const = 0;
    virtual u64 seed() const = 0;
    virtual bool is(const Held& other) const = 0;
  };
  template <class P>
  struct Holder final : Held {
    explicit Holder(P held) : problem(std::move(held)) {}
    std::unique_ptr<Held> copy() const override { return std::make_unique<Holder>(problem); }
    std::string_view kind() const override { return P::kind; }
    std::string text() const override { return text_of(problem); }
    u64 seed() const override { return problem.seed; }
    bool is(const Held& other) const override {
      const auto* same_kind = dynamic_cast<const Holder*>(&other);
      return same_kind && same_kind->problem == problem;
    }
    P problem;
  };

  const Held& held() const {
    if (!held_) throw InternalError("there is no problem yet");
    return *held_;
  }

  std::unique_ptr<Held> held_;
};

// The name before the bracket of the problem's text, "rotary"; its text; the seed of its inputs.
std::string_view kind_of(const Problem& problem);
std::string text_of(const Problem& problem);
u64 seed_of(const Problem& problem);

}  // namespace ropewalk
