// SPDX-License-Identifier: MIT
#pragma once

// The version's one home: CMakeLists.txt reads these three lines.
#define NEML2_VERSION_MAJOR 1
#define NEML2_VERSION_MINOR 0
#define NEML2_VERSION_PATCH 0
