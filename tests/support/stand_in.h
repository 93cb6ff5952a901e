// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <set>
#include <string>

/// A device for machines without a GPU.
namespace neml2::test
{
/// LibTorch's name for it is PrivateUse1. Its tensors are in memory of the host, at addresses that the host cannot read,
/// and LibTorch's CPU computes with them. An operator given tensors of both devices throws, as on a GPU, unless those of
/// the CPU have no dimensions. The stand-in cannot show what is special to CUDA: streams, and operators without a CUDA
/// kernel.
///
/// Once it is registered, LibTorch takes it for the accelerator of the program, and backward passes on CUDA fail. So this
/// function throws on a machine with a GPU; tests of the stand-in itself have the tag [stand-in], and run there with
/// CUDA_VISIBLE_DEVICES=.
at::Device stand_in();

/// The operators of LibTorch in which the host waited for the stand-in while f ran: those that gave it a number or a
/// size that depends on values, that copied from one to the other, or that wait in LibTorch's code for CUDA.
std::set<std::string> waits_of(const std::function<void()> & f);
} // namespace neml2::test
