// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/distributed/processes.h"

/**
 * Sums in a fixed order: entries are added in pairs, (0 + 1), (2 + 3), ..., the sums are added in pairs again, and so
 * on; a sum without a partner passes to the next level. The division among processes does not change the order. Each
 * process adds its complete pairs, and then all processes add the rest, at most two sums per process and level.
 */
namespace neml2::distributed
{
/// The place of a sum in the tree of sums: its level (on level k a sum has 2^k entries, the last one perhaps fewer), and its
/// number on that level.
struct Place
{
  Size level, number;
  bool is_first; ///< whether it is the first sum of its process on that level
  bool operator<(const Place & p) const
  {
    return level != p.level ? level < p.level : number < p.number;
  }
};

/// The sums that the process with the part [begin, end) of `total` entries cannot add alone; all processes add them.
inline std::vector<Place>
left_by(Size begin, Size end, Size total)
{
  std::vector<Place> r;
  for (Size level = 0; begin < end; level++)
  {
    if (total == 1)
    {
      r.push_back({level, 0, true});
      break;
    }
    if (begin % 2)
      r.push_back({level, begin++, true});
    if (begin < end && end % 2 && end < total)
      r.push_back({level, --end, false});
    begin /= 2;
    end = (end + 1) / 2;
    total = (total + 1) / 2;
  }
  return r;
}

/// Adds pairs along the first dimension; keeps a last entry without a partner.
inline at::Tensor
pairs(const at::Tensor & x)
{
  const Size n = x.size(0), even = n - n % 2;
  const at::Tensor sums = x.slice(0, 0, even, 2) + x.slice(0, 1, even, 2);
  return n == even ? sums : at::cat({sums, x.slice(0, even)});
}

/// Σ over the first dimension of all parts; process k has counts[k] entries. The result is bitwise the same for any
/// division into parts.
inline at::Tensor
tree_sum(const Processes & p, at::Tensor part, const Counts & counts)
{
  Size total = sum(counts), begin = 0;
  if (total == 0)
    return at::zeros(part.sizes().slice(1), part.options());
  std::vector<std::vector<Place>> places;
  Counts sent;
  for (const Size n : counts)
  {
    places.push_back(left_by(begin, begin + n, total));
    sent.push_back(Size(places.back().size()));
    begin += n;
  }

  std::vector<at::Tensor> left{part.slice(0, 0, 0)};
  Size level = 0;
  for (const Place & place : places[size_t(p.rank())])
  {
    for (; level < place.level; level++)
      part = pairs(part);
    const Size n = part.size(0) - 1;
    left.push_back(part.narrow(0, place.is_first ? 0 : n, 1));
    part = part.narrow(0, place.is_first ? 1 : 0, n);
  }

  const at::Tensor all = p.gather(at::cat(left), sent);
  std::map<Place, at::Tensor> waiting;
  Size k = 0;
  for (const auto & of_one : places)
    for (const Place & place : of_one)
      waiting[place] = all.select(0, k++);
  for (level = 0; total > 1; level++, total = (total + 1) / 2)
    for (auto first = waiting.begin(); first != waiting.end() && first->first.level == level;)
    {
      const Size i = first->first.number;
      at::Tensor r = first->second;
      first = waiting.erase(first);
      if (i + 1 < total)
      {
        r = r + first->second;
        first = waiting.erase(first);
      }
      waiting[{level + 1, i / 2, true}] = r;
    }
  return waiting.begin()->second;
}
} // namespace neml2::distributed
