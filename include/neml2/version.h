// SPDX-License-Identifier: MIT
#pragma once

// The version is defined here only: CMakeLists.txt reads these three lines.
#define NEML2_VERSION_MAJOR 1
#define NEML2_VERSION_MINOR 0
#define NEML2_VERSION_PATCH 0
