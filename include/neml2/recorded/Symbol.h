// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R2.h"
#include "neml2/kernels/numbers.h"
#include "neml2/recorded/Recording.h"

namespace neml2::recorded
{
/// A truth value of a formula that is being recorded.
struct Condition
{
  int32_t id = -1;

  /// Does not compile, because a condition may be true at some points and false at others.
  template <class T = bool>
  explicit operator bool() const
  {
    static_assert(
        !std::is_same_v<T, bool>,
        "a condition of a formula has a value per point: choose with where(condition, a, b)");
    return false;
  }

  friend Condition operator&(const Condition & a, const Condition & b)
  {
    return {record(Op::and_, a, b)};
  }
  friend Condition operator|(const Condition & a, const Condition & b)
  {
    return {record(Op::or_, a, b)};
  }
  friend Condition operator~(const Condition & a)
  {
    return {Recording::now().record(Op::not_, a.id)};
  }
  friend Condition operator&&(const Condition & a, const Condition & b) { return a & b; }
  friend Condition operator||(const Condition & a, const Condition & b) { return a | b; }
  friend Condition operator!(const Condition & a) { return ~a; }

  // any() is always true, because some points may satisfy the condition. Therefore a recording contains no shortcut that a kernel takes if
  // no point needs certain operations. Each kernel must be written such that its loops end without these shortcuts.
  friend bool any(const Condition &)
  {
    Recording::now().count_any();
    return true;
  }
  friend bool all(const Condition &) { return false; }

private:
  static int32_t record(Op op, const Condition & a, const Condition & b)
  {
    return Recording::now().record(op, a.id, b.id);
  }
};

/**
 * A number of a formula that is being recorded. Its arithmetic appends operations to the recording of the thread, Recording::now().
 *
 * A kernel (a function of kernels/), which otherwise computes with packs, is recorded by calling it with symbols.
 */
struct Symbol : kernels::Component<Symbol>
{
  int32_t id;

  Symbol() : id(-1) {}
  Symbol(const Symbol & other) : kernels::Component<Symbol>(), id(other.id) {}
  Symbol & operator=(const Symbol & other)
  {
    id = other.id;
    return *this;
  }
  Symbol(double x) : id(Recording::now().constant(x)) {}
  static Symbol of(int32_t id)
  {
    Symbol s;
    s.id = id;
    return s;
  }
  static Symbol input() { return of(Recording::now().input()); }

  friend Symbol operator-(const Symbol & a) { return unary(Op::negate, a); }
  friend Symbol operator+(const Symbol & a, const Symbol & b) { return binary(Op::add, a, b); }
  friend Symbol operator-(const Symbol & a, const Symbol & b) { return binary(Op::subtract, a, b); }
  friend Symbol operator*(const Symbol & a, const Symbol & b) { return binary(Op::multiply, a, b); }
  friend Symbol operator/(const Symbol & a, const Symbol & b) { return binary(Op::divide, a, b); }

  friend Condition operator<(const Symbol & a, const Symbol & b) { return compare(Op::less, a, b); }
  friend Condition operator>(const Symbol & a, const Symbol & b) { return compare(Op::less, b, a); }
  friend Condition operator<=(const Symbol & a, const Symbol & b)
  {
    return compare(Op::less_equal, a, b);
  }
  friend Condition operator>=(const Symbol & a, const Symbol & b)
  {
    return compare(Op::less_equal, b, a);
  }
  friend Condition operator==(const Symbol & a, const Symbol & b)
  {
    return compare(Op::equal, a, b);
  }
  friend Condition operator!=(const Symbol & a, const Symbol & b)
  {
    return compare(Op::not_equal, a, b);
  }

  friend Symbol where(const Condition & c, const Symbol & a, const Symbol & b)
  {
    return of(Recording::now().record(Op::where, c.id, a.id, b.id));
  }
  friend Symbol maximum(const Symbol & a, const Symbol & b) { return binary(Op::maximum, a, b); }
  friend Symbol minimum(const Symbol & a, const Symbol & b) { return binary(Op::minimum, a, b); }

  friend Symbol abs(const Symbol & a) { return unary(Op::abs, a); }
  friend Symbol sqrt(const Symbol & a) { return unary(Op::sqrt, a); }
  friend Symbol norm_of_square(const Symbol & a) { return unary(Op::norm_of_square, a); }
  friend Symbol macaulay(const Symbol & a) { return unary(Op::macaulay, a); }
  friend Symbol cbrt(const Symbol & a) { return unary(Op::cbrt, a); }
  friend Symbol exp(const Symbol & a) { return unary(Op::exp, a); }
  friend Symbol expm1(const Symbol & a) { return unary(Op::expm1, a); }
  friend Symbol log(const Symbol & a) { return unary(Op::log, a); }
  friend Symbol log1p(const Symbol & a) { return unary(Op::log1p, a); }
  friend Symbol log10(const Symbol & a) { return unary(Op::log10, a); }
  friend Symbol sin(const Symbol & a) { return unary(Op::sin, a); }
  friend Symbol cos(const Symbol & a) { return unary(Op::cos, a); }
  friend Symbol tan(const Symbol & a) { return unary(Op::tan, a); }
  friend Symbol asin(const Symbol & a) { return unary(Op::asin, a); }
  friend Symbol acos(const Symbol & a) { return unary(Op::acos, a); }
  friend Symbol atan(const Symbol & a) { return unary(Op::atan, a); }
  friend Symbol sinh(const Symbol & a) { return unary(Op::sinh, a); }
  friend Symbol cosh(const Symbol & a) { return unary(Op::cosh, a); }
  friend Symbol tanh(const Symbol & a) { return unary(Op::tanh, a); }
  friend Symbol asinh(const Symbol & a) { return unary(Op::asinh, a); }
  friend Symbol acosh(const Symbol & a) { return unary(Op::acosh, a); }
  friend Symbol atanh(const Symbol & a) { return unary(Op::atanh, a); }
  friend Symbol atan2(const Symbol & y, const Symbol & x) { return binary(Op::atan2, y, x); }
  friend Symbol hypot(const Symbol & a, const Symbol & b) { return binary(Op::hypot, a, b); }
  friend Symbol fmod(const Symbol & a, const Symbol & b) { return binary(Op::fmod, a, b); }
  friend Symbol pow(const Symbol & a, const Symbol & n) { return binary(Op::pow, a, n); }

private:
  static Symbol unary(Op op, const Symbol & a) { return of(Recording::now().record(op, a.id)); }
  static Symbol binary(Op op, const Symbol & a, const Symbol & b)
  {
    return of(Recording::now().record(op, a.id, b.id));
  }
  static Condition compare(Op op, const Symbol & a, const Symbol & b)
  {
    return {Recording::now().record(op, a.id, b.id)};
  }
};

/// where() of two plain numbers.
template <class A,
          class B,
          std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, int> = 0>
Symbol
where(const Condition & c, A a, B b)
{
  return where(c, Symbol(double(a)), Symbol(double(b)));
}

/// Functions of a matrix of symbols, each recorded as one operation. A formula that calls inv or polar_rotation gets these overloads for
/// matrices of symbols. The derivatives of inv and polar_rotation are computed with the same functions, as in the kernels.
inline kernels::R2<Symbol>
record_matrix(Op op, const kernels::R2<Symbol> & A)
{
  std::vector<int32_t> operands;
  for (const Symbol & a : A.v)
    operands.push_back(a.id);
  const auto outputs = Recording::now().record_system(op, 3, operands);
  kernels::R2<Symbol> r{kernels::Unset()};
  for (int i = 0; i < 9; i++)
    r[i].id = outputs[size_t(i)];
  return r;
}
inline kernels::R2<Symbol>
inv(const kernels::R2<Symbol> & A)
{
  return record_matrix(Op::inv, A);
}
inline kernels::R2<Symbol>
polar_rotation(const kernels::R2<Symbol> & A)
{
  return record_matrix(Op::polar_rotation, A);
}

/// A number of a formula with one partial, a derivative along some direction. The partials of the arguments are called seeds. The partials
/// of all other numbers are linear in them.
using Number = kernels::Dual<Symbol, 1>;
} // namespace neml2::recorded

namespace neml2
{
template <>
inline constexpr bool kernels::is_recorded<recorded::Number> = true;
} // namespace neml2
