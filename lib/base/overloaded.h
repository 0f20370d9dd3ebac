// A visitor for std::visit out of one lambda a case.
#pragma once

namespace ropewalk {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 needs this

}  // namespace ropewalk
