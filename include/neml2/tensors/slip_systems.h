// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/options.h"
#include "neml2/tensors/fwd.h"

#include <string>
#include <utility>

/**
 * Slip and twin systems of crystals: unit normals n of planes and unit directions b in the crystal's Cartesian axes. Each
 * of the two is a Vec (m; 3).
 *
 * A lattice is "fcc", "bcc" or "hcp", or a crystal class (as in crystallography.h) that is cubic, tetragonal or hexagonal. Tetragonal and
 * hexagonal lattices need c_over_a, the ratio of their axes. The axes of cubic and tetragonal lattices are x, y and z. Hexagonal
 * lattices have a1 along x, a2 at 120° from it and c along z; their planes and directions have four indices, (hkil) and [uvtw], or three.
 *
 * Families are separated by commas, in the order of the results: "{110}<111>, {112}<111>". Indices are digits, each with or
 * without a minus, or numbers separated by spaces or commas.
 * - {hkl}<uvw> are all planes that are equivalent by symmetry, each with the equivalent directions that lie in it.
 * - (hkl)[uvw] are one plane and one direction in it, and all pairs that are equivalent to this pair.
 *
 * outer(b, n) gives the Schmid tensors of all systems at once. The symmetric part of a Schmid tensor, contracted with a
 * stress, gives the resolved shear stress.
 */
namespace neml2::crystallography
{
/// Slip systems (n, b), (m; 3) each, with n_i b_i = 0. The sign of n or b does not matter: (n, b) and (-n, b) are one
/// system.
///
/// Families of slip, by their indices or by these names, with their number of systems:
/// - fcc: "{111}<110>" 12, the default;
/// - bcc: "{110}<111>" 12, the default; "{112}<111>" 12; "{123}<111>" 24;
/// - hcp: "basal" {0001}<11-20> 3, "prismatic" {10-10}<11-20> 3, "pyramidal <a>" {10-11}<11-20> 6, "pyramidal <c+a>"
/// {11-22}<11-23> 6, these four by default; "first-order pyramidal <c+a>" {10-11}<11-23> 12. Give any other
/// family by its indices.
///
/// Source: Hull and Bacon (2011), Introduction to Dislocations, ch. 5 and 6.
/// @throws NEMLException for an unknown lattice or family, invalid indices, a family without a direction in its planes, a
/// missing c_over_a, a c_over_a other than 1 for a cubic lattice, or an integer dtype.
std::pair<Vec, Vec> slip_systems(const std::string & lattice,
                                 const std::string & families = "",
                                 Real c_over_a = 0,
                                 const TensorOptions & options = default_tensor_options());
/// Twin systems (n, b), (m; 3) each. n is normal to the twinning plane K1, and b is the direction η1 in the sense of the
/// shear that makes the twin, δ_ij + γ b_i n_j with γ > 0. (n, b) and (-n, -b) are one system; (n, -b) is the opposite
/// shear.
///
/// Families of twins, with their number of systems and γ (r is c_over_a), and for fcc and bcc an example of a system:
/// - fcc: "{111}<112>" 12, 1/√2, the default, such as (111)[11-2];
/// - bcc: "{112}<111>" 12, 1/√2, the default, such as (112)[-1-11];
/// - hcp: "{10-12}<-1011>" 6, |3 - r²| / (√3 r), the default; "{11-21}<-1-126>" 6, 1/r; "{11-22}<11-2-3>" 6, 2 |r² - 2| / (3 r);
/// "{10-11}<10-1-2>" 6, |4 r² - 9| / (4 √3 r). Except for {11-21}, the sense of the shear depends on r; for {10-12} it changes
/// at r = √3. For any other twin, give one plane and one direction in the sense of its shear: (hkl)[uvw].
///
/// Sources: Christian and Mahajan (1995), Prog. Mater. Sci. 39, 1-157; Yoo (1981), Metall. Trans. A 12, 409-418.
/// @throws NEMLException as slip_systems does, and for families {hkl}<uvw> that are not among these twins.
std::pair<Vec, Vec> twin_systems(const std::string & lattice,
                                 const std::string & families = "",
                                 Real c_over_a = 0,
                                 const TensorOptions & options = default_tensor_options());
} // namespace neml2::crystallography

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/slip_systems-inl.h"
#endif
