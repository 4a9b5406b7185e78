#pragma once
// Deduces the parameter and result types of a handler from its type: a lambda, a function object or a
// function.

#include <tuple>
#include <type_traits>

namespace pawl::detail {

template <typename Call>
struct Signature : Signature<decltype(&Call::operator())> {};

template <typename Result, typename... Arguments>
struct Signature<Result (*)(Arguments...)> {
  using Given = Result;
  using Taken = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <typename Result, typename... Arguments>
struct Signature<Result(Arguments...)> : Signature<Result (*)(Arguments...)> {};
template <typename Owner, typename Result, typename... Arguments>
struct Signature<Result (Owner::*)(Arguments...)> : Signature<Result (*)(Arguments...)> {};
template <typename Owner, typename Result, typename... Arguments>
struct Signature<Result (Owner::*)(Arguments...) const> : Signature<Result (*)(Arguments...)> {};
template <typename Owner, typename Result, typename... Arguments>
struct Signature<Result (Owner::*)(Arguments...) noexcept> : Signature<Result (*)(Arguments...)> {};
template <typename Owner, typename Result, typename... Arguments>
struct Signature<Result (Owner::*)(Arguments...) const noexcept> : Signature<Result (*)(Arguments...)> {};

// The first type of a tuple; void if the tuple is empty.
template <typename Taken>
struct First {
  using Type = void;
};
template <typename Head, typename... Tail>
struct First<std::tuple<Head, Tail...>> {
  using Type = Head;
};

template <typename Call>
using Taken = typename Signature<std::decay_t<Call>>::Taken;
template <typename Call>
using FirstTaken = typename First<Taken<Call>>::Type;

}  // namespace pawl::detail
