// SPDX-License-Identifier: MIT
#pragma once

/// The lists of types of NEML2 2.x: f(A); f(B) ..., or A, B, ... for Catch2's TEMPLATE_TEST_CASE.

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

#define FOR_ALL_VECBASE_COMMA Vec, Rot, WR2
#define FOR_ALL_R2BASE_COMMA R2
#define FOR_ALL_PRIMITIVETENSOR_COMMA                                                              \
  Scalar, Vec, Rot, WR2, R2, SR2, R3, SFR3, R4, SSR4, SFR4, SFFR4, WFR4, WFFR4, SWR4, WSR4, WWR4,  \
      R5, SSFR5, R8, SSSSR8, Quaternion, MillerIndex
#define FOR_ALL_TENSORBASE_COMMA Tensor, FOR_ALL_PRIMITIVETENSOR_COMMA
