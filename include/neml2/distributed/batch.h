// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/distributed/call.h"

#include <array>
#include <utility>

/**
 * Batches that are divided among several processes, which exchange tensors through c10d (Gloo on CPUs, NCCL on GPUs).
 * Each process has one part of a batch. This header contains the functions that need all parts. Every other function of
 * the library is called on the part that the process has.
 *
 * Results of reductions are bitwise the same for any number of processes, and their gradients are, too. All
 * processes must compute the same loss from the same numbers, and all gradients are gradients of this loss. For a tensor
 * that all processes have, every process gets the same gradient, to which the whole batch contributes. For its part of a
 * batch, each process gets the gradient with respect to that part. Therefore compute a loss from results of batch_sum, batch_mean or
 * gather_batch, and pass parameters that all points share through expand_batch.
 *
 * All processes of a group call a function together, with tensors of the same type, dtype and shape. Only the number
 * of entries along batch dimension d may differ, and it may be 0. Any other difference causes a NEMLException in all
 * processes, before anything else is exchanged. If a process ends, or does not make the call within the time limit of
 * the group, the others throw a NEMLException. No other header includes this one, because not every LibTorch contains
 * c10d.
 */
namespace neml2::distributed
{
// ---- Parts ----

/// The range [first, second) of entries that scatter_batch gives this process from a batch of n entries. The numbers of
/// entries of two processes differ by at most one. Nothing is exchanged: if a batch, such as a mesh, can be made or
/// read in parts, no process needs the whole batch. Group is c10::intrusive_ptr<c10d::ProcessGroup>.
inline std::pair<Size, Size>
batch_part(Size n, const Group & group)
{
  const Processes p("batch_part", group);
  NEML2_CHECK(n >= 0, "batch_part: a batch of ", n, " entries. Expected 0 or more.");
  const Counts counts = divided(n, p.size());
  const Size begin = begin_of(counts, p.rank());
  return {begin, begin + counts[size_t(p.rank())]};
}

/// Divides a batch along batch dimension d, and gives each process its part: (..., N, ...; base) -> (..., n, ...; base).
/// n is N / processes, rounded down; if there is a remainder, n is one more in the first processes. All processes must
/// pass the same batch, with the same numbers, because these numbers are not sent. The derivative is gathered from the
/// gradients of all parts.
template <class T, core::if_tensor<T> = 0>
T
scatter_batch(const T & a, const Group & group, Size d = 0)
{
  const Call c = begin({"scatter_batch", core::Accepts::any}, a, group, d);
  for (const Size n : c.counts)
    NEML2_CHECK(n == c.counts[0],
                "scatter_batch: processes have batches of ",
                c.counts[0],
                " and ",
                n,
                " entries along dimension ",
                d,
                ". Expected the same batch in all; if only one process has it, name that process "
                "as source.");
  return keeping(c,
                 a,
                 [](const Processes & p, const at::Tensor & x, const Counts & counts)
                 { return part(p, x, divided(counts[0], p.size())); });
}

/// Divides the batch of one process, which has the rank `source` in the group, along batch dimension d, and gives
/// each process its part: (..., N, ...; base) -> (..., n, ...; base). The tensors of the other processes are ignored;
/// they may be T(). In the backward pass the source gathers the gradients of all parts. Second derivatives are not available.
template <class T, core::if_tensor<T> = 0>
T
scatter_batch(const T & a, const Group & group, Size d, int source)
{
  const core::Operation op("scatter_batch", core::Accepts::any);
  Processes p(op.name, group);
  const core::Operand o = core::operand(a);
  const Size at = p.checked(
      [&]
      {
        NEML2_CHECK(0 <= source && source < p.size(),
                    op.name,
                    ": the source is ",
                    source,
                    ", and the group has ",
                    p.size(),
                    " processes. Expected a rank in [0, ",
                    p.size(),
                    ").");
        if (p.rank() != source)
          return Size(0);
        core::check_operand(op, o);
        check_reach(p, op, o);
        NEML2_CHECK_AS(IndexException,
                       o.batch_dim > 0,
                       op.name,
                       ": ",
                       o,
                       " has no batch dimension. Add one (batch_unsqueeze).");
        return core::position(op.name, o, d, 0, o.batch_dim);
      });
  std::ostringstream call;
  call << op.name << " from process " << source << " along dimension " << d << ", grad mode "
       << (c10::GradMode::is_enabled() ? "on" : "off");
  // The source sends the sizes of its tensor, then the number of batch dimensions, the position of dimension d, dtype,
  // device, and whether the tensor requires grad.
  constexpr Size more = 5;
  const bool is_source = p.rank() == source;
  const Counts lengths = p.agree(call.str(), is_source ? a.dim() + more : 0);
  TensorShape said(static_cast<size_t>(lengths[size_t(p.rank())]));
  if (is_source)
  {
    std::copy(a.sizes().begin(), a.sizes().end(), said.begin());
    const std::array<Size, more> rest{
        a.batch_dim(), at, Size(a.scalar_type()), Size(a.device().type()), Size(is_recorded(a))};
    std::copy(rest.begin(), rest.end(), said.end() - more);
  }
  said = p.share(said, lengths);
  const auto rest = said.end() - more;
  TensorShape shape(said.begin(), rest);
  const Counts counts = divided(shape[size_t(rest[1])], p.size());
  at::Tensor x = a;
  if (!is_source) // x is an empty stand-in for the batch, so that this process takes part in the gradient, too
  {
    shape[size_t(rest[1])] = 0;
    x = at::empty(shape, c10::TensorOptions(Dtype(rest[2])).device(c10::DeviceType(rest[3])));
    if (rest[4])
      x.requires_grad_();
  }
  return T(core::Trusted(),
           part_from(p, x.movedim(rest[1], 0), counts, source).movedim(0, rest[1]),
           rest[0]);
}

/// Joins all parts along batch dimension d, in the order of the ranks, in all processes:
/// (..., n, ...; base) -> (..., Σn, ...; base). Each part gets the gradient of its entries in the joined batch.
template <class T, core::if_tensor<T> = 0>
T
gather_batch(const T & a, const Group & group, Size d = 0)
{
  return keeping(begin({"gather_batch", core::Accepts::any}, a, group, d), a, gather);
}

/// Repeats a tensor n times along a new batch dimension at d, as a view: (...; base) -> (..., n, ...; base). All
/// processes must pass the same tensor, with the same numbers. n is the number of entries of this process's part and
/// may differ between processes.
///
/// The derivative is the sum over the entries of all processes, as in batch_sum. Thus parameters that the whole batch
/// shares have the same gradient in all processes, bitwise the same as in one process.
template <class T, core::if_tensor<T> = 0>
T
expand_batch(const T & a, Size n, const Group & group, Size d = 0)
{
  const Call c = begin({"expand_batch", core::Accepts::any}, a, group, d, &n);
  return T(core::Trusted(), expand(c.processes, a, c.counts).movedim(0, c.d), a.batch_dim() + 1);
}

// ---- Reductions ----

/// Σ along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit
/// of a. Integers give int64; bool gives the number of true entries, as int64.
///
/// Entries are added in pairs, in an order that depends on the whole batch, not on its division into parts. The
/// result is bitwise the same for any number of processes, but its last digits may differ from neml2::batch_sum. If
/// Σn is more than 1, each process sends at most 2 log2(Σn) tensors.
template <class T, core::if_tensor<T> = 0>
T
batch_sum(const T & a, const Group & group, Size d = 0)
{
  return reducing(begin({"batch_sum", core::Accepts::any}, a, group, d), a, accumulate);
}

/// Mean along batch dimension d over the parts of all processes: (..., n, ...; base) -> (...; base), in the unit of
/// a; NaN if no process has an entry. It is batch_sum divided by the number of entries. Only for floating types.
template <class T, core::if_tensor<T> = 0>
T
batch_mean(const T & a, const Group & group, Size d = 0)
{
  return reducing(begin("batch_mean", a, group, d),
                  a,
                  [](const Processes & p, const at::Tensor & x, const Counts & counts)
                  {
                    const bool few = x.element_size() < 4;
                    const at::Tensor total = add(p, few ? x.to(kFloat32) : x, counts);
                    return (total / sum(counts)).to(x.scalar_type());
                  });
}

/// The largest value of each component along batch dimension d over the parts of all processes: (..., n, ...; base)
/// -> (...; base), in the unit of a. NaN if any value is NaN. For integers, too. Equal values share the derivative.
/// @throws NEMLException also if no process has an entry.
template <class T, core::if_tensor<T> = 0>
T
batch_max(const T & a, const Group & group, Size d = 0)
{
  return extremum_of({"batch_max", core::Accepts::numbers}, a, group, d, true);
}

/// The smallest value of each component along batch dimension d over the parts of all processes: (..., n, ...; base)
/// -> (...; base), in the unit of a. NaN if any value is NaN. For integers, too. Equal values share the derivative.
/// @throws NEMLException also if no process has an entry.
template <class T, core::if_tensor<T> = 0>
T
batch_min(const T & a, const Group & group, Size d = 0)
{
  return extremum_of({"batch_min", core::Accepts::numbers}, a, group, d, false);
}
} // namespace neml2::distributed
