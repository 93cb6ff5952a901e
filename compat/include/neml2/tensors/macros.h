// SPDX-License-Identifier: MIT
#pragma once

/// The lists f(A); f(B) ... of NEML2 2.x, with the types of all its releases.

#define FOR_ALL_VECBASE(f)                                                                         \
  f(Vec);                                                                                          \
  f(Rot);                                                                                          \
  f(WR2)
#define FOR_ALL_R2BASE(f) f(R2)
#define FOR_ALL_NONSCALAR_PRIMITIVETENSOR(f)                                                       \
  f(Vec);                                                                                          \
  f(Rot);                                                                                          \
  f(WR2);                                                                                          \
  f(R2);                                                                                           \
  f(SR2);                                                                                          \
  f(R3);                                                                                           \
  f(SFR3);                                                                                         \
  f(R4);                                                                                           \
  f(SSR4);                                                                                         \
  f(SFR4);                                                                                         \
  f(SFFR4);                                                                                        \
  f(WFR4);                                                                                         \
  f(WFFR4);                                                                                        \
  f(SWR4);                                                                                         \
  f(WSR4);                                                                                         \
  f(WWR4);                                                                                         \
  f(R5);                                                                                           \
  f(SSFR5);                                                                                        \
  f(R8);                                                                                           \
  f(SSSSR8);                                                                                       \
  f(Quaternion);                                                                                   \
  f(MillerIndex)
#define FOR_ALL_PRIMITIVETENSOR(f)                                                                 \
  f(Scalar);                                                                                       \
  FOR_ALL_NONSCALAR_PRIMITIVETENSOR(f)
#define FOR_ALL_NONSCALAR_TENSORBASE(f)                                                            \
  f(Tensor);                                                                                       \
  FOR_ALL_NONSCALAR_PRIMITIVETENSOR(f)
#define FOR_ALL_TENSORBASE(f)                                                                      \
  f(Tensor);                                                                                       \
  FOR_ALL_PRIMITIVETENSOR(f)
#define FOR_SCALAR_AND_TENSOR(f)                                                                   \
  f(Scalar);                                                                                       \
  f(Tensor)

/// The lists f(A), f(B) ... of NEML2 2.1, with the types of release 2.1, for Catch2's TEMPLATE_TEST_CASE.

#define FOR_ALL_VECBASE_COMMA(f) f(Vec), f(Rot), f(WR2)
#define FOR_ALL_R2BASE_COMMA(f) f(R2)
#define FOR_ALL_PRIMITIVETENSOR_COMMA(f)                                                           \
  f(Scalar), FOR_ALL_VECBASE_COMMA(f), FOR_ALL_R2BASE_COMMA(f), f(SR2), f(R3), f(SFR3), f(R4),     \
      f(SSR4), f(SFFR4), f(WFFR4), f(SWR4), f(WSR4), f(WWR4), f(Quaternion), f(MillerIndex)
#define FOR_ALL_TENSORBASE_COMMA(f) f(Tensor), FOR_ALL_PRIMITIVETENSOR_COMMA(f)
