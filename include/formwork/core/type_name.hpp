#pragma once
#include <formwork/core/fixed_string.hpp>

#include <string_view>

namespace formwork {

namespace detail {

template <class T>
constexpr std::string_view signature() {
  return __PRETTY_FUNCTION__;
}

// g++ writes "... [with T = a::b; ...]", clang++ "... [T = a::b]".
constexpr std::string_view type_in(std::string_view signature) {
  signature.remove_prefix(signature.find("T = ") + 4);
  return signature.substr(0, signature.find_first_of(";]"));
}

constexpr std::string_view without_namespaces(std::string_view type) {
  const std::size_t colons = type.substr(0, type.find('<')).rfind("::");
  return colons == type.npos ? type : type.substr(colons + 2);
}

}  // namespace detail

/// What a type is called in tables: its `name` if it has one, otherwise the type as it is written, without
/// namespaces. The second form of a template differs between compilers; types that matter have a `name`.
template <class T>
constexpr std::string_view type_name() {
  if constexpr (requires { label(T::name); })
    return std::string_view(T::name);
  else
    return detail::without_namespaces(detail::type_in(detail::signature<T>()));
}

}  // namespace formwork
