// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operands.h"
#include "neml2/distributed/c10d.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <vector>

/**
 * Exchanges between the processes of a group, by the collective calls of c10d. The processes first exchange a description
 * of the call that they are about to make, so that a difference causes an error in all of them. Then they exchange
 * the numbers.
 */
namespace neml2::distributed
{
/// The group of processes in which c10d exchanges tensors.
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// The number of entries that each process has.
using Counts = std::vector<Size>;

inline Size
sum(const Counts & counts)
{
  return std::accumulate(counts.begin(), counts.end(), Size(0));
}

template <class G, class = void>
struct has_backends : std::false_type
{
};
template <class G>
struct has_backends<G, std::void_t<decltype(std::declval<G &>().getBackend(c10::DeviceType::CPU))>>
  : std::true_type
{
};

/// Whether a group exchanges tensors on this kind of device.
template <class G>
bool
reaches(G & group, c10::DeviceType device)
{
  if constexpr (has_backends<G>::value)
    try
    {
      return bool(group.getBackend(device));
    }
    catch (const std::exception &)
    {
      return false;
    }
  else // LibTorch 1: a group has one kind of device
    return (group.getBackendName() == "nccl") == (device == c10::DeviceType::CUDA);
}

/// The numbers of a tensor as bytes, padded to `width`; the padding is not initialised.
inline at::Tensor
as_bytes(const at::Tensor & t, Size width)
{
  const at::Tensor b =
      t.detach().resolve_conj().resolve_neg().contiguous().reshape({-1}).view(c10::kByte);
  if (b.numel() == width)
    return b;
  at::Tensor padded = at::empty({width}, b.options());
  padded.narrow(0, 0, b.numel()).copy_(b);
  return padded;
}

/// A group of processes in one call of a function; messages name the function.
class Processes
{
public:
  Processes(const char * name, Group group) : _name(name), _group(std::move(group))
  {
    NEML2_CHECK(_group, name, ": there is no group of processes. Make a c10d::ProcessGroup first.");
    _rank = _group->getRank();
    _size = _group->getSize();
  }

  const char * name() const { return _name; }
  int rank() const { return _rank; }
  int size() const { return _size; }

  /// These processes in a call of the function `name`.
  Processes named(const char * name) const { return {name, _group}; }

  bool reach(c10::DeviceType device) const { return reaches(*_group, device); }

  /// Checks that all processes make the same call, exchanges `number`, and returns the numbers of all processes.
  /// @throws NEMLException in all processes if the calls differ.
  Counts agree(const std::string & call, Size number = 0) const
  {
    Size hash = 1469598103934665603; // FNV-1a
    for (const char c : call)
      hash = Size((uint64_t(hash) ^ uint64_t(c)) * 1099511628211U);
    hash &= ~(Size(1) << 63);
    const auto heads = this->heads(hash, Size(call.size()), number);
    Counts numbers;
    for (const auto & h : heads)
    {
      if (h[0] != hash || h[1] != Size(call.size()))
        core::fail(difference(call, heads));
      numbers.push_back(h[2]);
    }
    return numbers;
  }

  /// Calls f, which makes checks that only this process can make. If f throws, the other processes throw, too,
  /// because they wait for this process.
  template <class F>
  auto checked(const F & f) const
  {
    try
    {
      return f();
    }
    catch (const std::exception & e)
    {
      const std::string what = e.what();
      texts(what, heads(refusal, Size(what.size()), 0));
      throw;
    }
  }

  /// Joins the parts of all processes along the first dimension, in the order of the ranks; process k has counts[k]
  /// entries.
  at::Tensor gather(const at::Tensor & part, const Counts & counts) const
  {
    const Size width = width_of(part, counts);
    std::vector<at::Tensor> in{as_bytes(part, width)};
    std::vector<std::vector<at::Tensor>> out{for_each(width, in[0])};
    if (width > 0)
      wait([&] { return _group->allgather(out, in); });
    return joined(out[0], part, counts);
  }

  /// Joins the parts as gather does, but only in process `to`; the other processes get an undefined tensor.
  at::Tensor gather_to(const at::Tensor & part, const Counts & counts, int to) const
  {
    const Size width = width_of(part, counts);
    std::vector<at::Tensor> in{as_bytes(part, width)};
    std::vector<std::vector<at::Tensor>> out;
    if (_rank == to)
      out.push_back(for_each(width, in[0]));
    c10d::GatherOptions options;
    options.rootRank = to;
    if (width > 0)
      wait([&] { return _group->gather(out, in, options); });
    return _rank == to ? joined(out[0], part, counts) : at::Tensor();
  }

  /// This process's part of the source's tensor. The part has the shape and dtype of `part`.
  at::Tensor scatter(const at::Tensor & whole,
                     const at::Tensor & part,
                     const Counts & counts,
                     int source) const
  {
    const Size width = width_of(part, counts);
    if (width == 0)
      return part;
    std::vector<std::vector<at::Tensor>> in(_rank == source ? 1 : 0);
    if (_rank == source)
      for (const at::Tensor & p : whole.split_with_sizes(counts))
        in[0].push_back(as_bytes(p, width));
    std::vector<at::Tensor> out{at::empty({width}, part.options().dtype(c10::kByte))};
    c10d::ScatterOptions options;
    options.rootRank = source;
    wait([&] { return _group->scatter(out, in, options); });
    return from_bytes(out[0], TensorShape(part.sizes().begin(), part.sizes().end()), part);
  }

  /// Joins the numbers of all processes in the order of the ranks; process k sends lengths[k] numbers, perhaps none.
  TensorShape share(TensorShapeRef numbers, const Counts & lengths) const
  {
    at::Tensor mine = at::empty({Size(numbers.size())}, kInt64);
    std::copy(numbers.begin(), numbers.end(), mine.data_ptr<Size>());
    const at::Tensor all = gather(mine.to(options(kInt64).device()), lengths).cpu();
    return TensorShape(all.data_ptr<Size>(), all.data_ptr<Size>() + all.numel());
  }

private:
  static constexpr Size refusal = -1;
  using Head = std::array<Size, 3>;

  static Size bytes(TensorShapeRef shape, const at::Tensor & of)
  {
    Size n = Size(of.element_size());
    for (const Size s : shape)
      n *= s;
    return n;
  }

  /// The number of bytes of the largest part.
  static Size width_of(const at::Tensor & part, const Counts & counts)
  {
    TensorShape shape(part.sizes().begin(), part.sizes().end());
    shape[0] = *std::max_element(counts.begin(), counts.end());
    return bytes(shape, part);
  }

  std::vector<at::Tensor> for_each(Size width, const at::Tensor & like) const
  {
    std::vector<at::Tensor> r;
    for (int k = 0; k < _size; k++)
      r.push_back(at::empty({width}, like.options()));
    return r;
  }

  static at::Tensor
  joined(std::vector<at::Tensor> & all, const at::Tensor & like, const Counts & counts)
  {
    TensorShape shape(like.sizes().begin(), like.sizes().end());
    for (size_t k = 0; k < all.size(); k++)
    {
      shape[0] = counts[k];
      all[k] = from_bytes(all[k], shape, like);
    }
    return at::cat(all);
  }

  static at::Tensor
  from_bytes(const at::Tensor & b, const TensorShape & shape, const at::Tensor & like)
  {
    return b.narrow(0, 0, bytes(shape, like)).view(like.scalar_type()).reshape(shape);
  }

  template <class F>
  void wait(const F & f) const
  {
    try
    {
      f()->wait();
    }
    catch (const c10::Error & e)
    {
      no_answer(e.what_without_backtrace());
    }
    catch (const std::exception & e)
    {
      no_answer(e.what());
    }
  }

  [[noreturn]] NEML2_COLD void no_answer(const char * what) const
  {
    core::fail(_name,
               ": process ",
               _rank,
               " of ",
               _size,
               " got no answer. Another process has ended, or did not make this call within the "
               "time limit of the group; its own output says why. LibTorch says: ",
               what);
  }

  /// Options of tensors that are read as soon as they have been exchanged. These tensors are on the CPU if the group supports it, so that
  /// reading them waits for no device.
  c10::TensorOptions options(Dtype dtype) const
  {
    return c10::TensorOptions(dtype).device(reach(c10::DeviceType::CPU) ? c10::DeviceType::CPU
                                                                        : c10::DeviceType::CUDA);
  }

  std::vector<Head> heads(Size hash, Size length, Size number) const
  {
    const auto all = share(Head{hash, length, number}, Counts(size_t(_size), 3));
    std::vector<Head> r(static_cast<size_t>(_size));
    for (size_t k = 0; k < r.size(); k++)
      std::copy_n(all.begin() + 3 * k, 3, r[k].begin());
    return r;
  }

  std::vector<std::string> texts(const std::string & text, const std::vector<Head> & heads) const
  {
    Counts lengths;
    for (const auto & h : heads)
      lengths.push_back(h[1]);
    at::Tensor mine = at::empty({Size(text.size())}, c10::kByte);
    std::copy(text.begin(), text.end(), mine.data_ptr<uint8_t>());
    const at::Tensor all = gather(mine.to(options(c10::kByte).device()), lengths).cpu();
    const auto * at = all.data_ptr<uint8_t>();
    std::vector<std::string> r;
    for (const Size n : lengths)
    {
      r.emplace_back(at, at + n);
      at += n;
    }
    return r;
  }

  NEML2_COLD std::string difference(const std::string & call, const std::vector<Head> & heads) const
  {
    const auto all = texts(call, heads);
    std::ostringstream s;
    s << _name << ": ";
    bool refused = false;
    for (size_t k = 0; k < heads.size(); k++)
      if (heads[k][0] == refusal)
      {
        s << (refused ? "; " : "") << "process " << k << " has refused its arguments, " << all[k];
        refused = true;
      }
    if (refused)
      return s.str();
    s << "the processes do not make the same call. ";
    for (size_t k = 0; k < all.size(); k++)
      if (std::find(all.begin(), all.begin() + k, all[k]) == all.begin() + k)
      {
        s << (k ? "; " : "") << "process " << k;
        for (size_t j = k + 1; j < all.size(); j++)
          if (all[j] == all[k])
            s << ", " << j;
        s << ": " << all[k];
      }
    s << ". Expected the same call in all processes; only the number of entries n may differ.";
    return s.str();
  }

  const char * _name;
  Group _group;
  int _rank, _size;
};
} // namespace neml2::distributed
