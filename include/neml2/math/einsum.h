// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"

#include <cctype>
#include <map>

namespace neml2
{
namespace math
{
/// The number of letters in a term of an equation after its leading "...", which stands for the batch.
inline Size
count_letters(const std::string & equation, std::string term, bool batched)
{
  const bool leads = term.rfind("...", 0) == 0;
  if (leads)
    term.erase(0, 3);
  NEML2_CHECK(
      std::all_of(term.begin(), term.end(), [](unsigned char c) { return std::isalpha(c); }),
      "einsum: the term '",
      term,
      "' of ",
      equation,
      " has characters other than letters behind its leading '...'.");
  NEML2_CHECK(leads || !batched,
              "einsum: the term '",
              term,
              "' of ",
              equation,
              " has no leading '...', which stands for the batch dimensions.");
  return Size(term.size());
}

/// Adds the size of each letter of operand k to the map. Throws if a letter has two sizes; LibTorch would broadcast a
/// base dimension of size 1.
inline void
check_letters(const std::string & equation,
              ArrayRef<Operand> o,
              size_t k,
              const std::string & letters,
              std::map<char, Size> & sizes)
{
  for (size_t i = 0; i < letters.size(); i++)
  {
    const Size size = sizes.try_emplace(letters[i], o[k].base[i]).first->second;
    NEML2_CHECK(size == o[k].base[i],
                "einsum: the letter ",
                letters[i],
                " of ",
                equation,
                " stands for base dimensions of the sizes ",
                size,
                " and ",
                o[k].base[i],
                ". Expected equal ones. The operands are ",
                OperandsText{o},
                ".");
  }
}

/// Einstein's sum over equal letters. The leading `...` is the batch, and every letter is a base dimension.
inline at::Tensor
einsum(std::string equation, ArrayRef<Tensor> tensors)
{
  NEML2_CHECK(!tensors.empty(), "einsum: expected tensors, got an empty list.");
  const Operation op("einsum", Accepts::any);
  SmallVector<Operand, 4> o;
  for (const auto & t : tensors)
    o.push_back(operand(t));
  check_operands(op, o);
  const bool batched = !broadcast_batch(op, o).empty();

  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const size_t arrow = equation.find("->");
  const std::string operands = equation.substr(0, arrow) + ",";
  std::map<char, Size> sizes; // per letter
  size_t k = 0;
  for (size_t begin = 0; begin < operands.size(); k++)
  {
    const size_t end = operands.find(',', begin);
    if (k < o.size())
    {
      const std::string term = operands.substr(begin, end - begin);
      const Size letters = count_letters(equation, term, o[k].batch_dim > 0);
      NEML2_CHECK(letters == Size(o[k].base.size()),
                  "einsum: ",
                  equation,
                  " has ",
                  letters,
                  " letters for the base dimensions of ",
                  o[k],
                  ".");
      check_letters(equation, ArrayRef<Operand>(o), k, term.substr(term.size() - letters), sizes);
    }
    begin = end + 1;
  }
  NEML2_CHECK(
      k == o.size(), "einsum: ", equation, " has ", k, " operands, got ", OperandsText{o}, ".");
  if (arrow != std::string::npos)
    count_letters(equation, equation.substr(arrow + 2), batched);
  return translate_errors(
      op.name,
      [&]
      { return at::einsum(equation, std::vector<at::Tensor>(tensors.begin(), tensors.end())); });
}
} // namespace math

template <class Derived, Size... S>
Derived
PrimitiveTensor<Derived, S...>::einsum(const std::string & equation, TensorList tensors)
{
  return Derived(math::einsum(equation, tensors));
}
} // namespace neml2
