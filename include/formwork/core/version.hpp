#pragma once

namespace formwork {

/// Version of the library. Before 1.0 a step of the minor number may break a user's code; CHANGELOG.md says
/// how. CMake reads these three lines, so the number is written nowhere else.
inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

}  // namespace formwork
