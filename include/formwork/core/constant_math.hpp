#pragma once
// Functions that <cmath> has not made constexpr in C++20, for constants that follow from a model's depth.
namespace formwork {

/// The square root of x >= 0, to the last bit or the one before.
constexpr double constant_sqrt(double x) {
  if (!(x >= 0 && x < 1e300)) throw "constant_sqrt: the number is negative or too large";
  if (x == 0) return 0;
  double scale = 1;  // x goes to [1/4, 4], where Newton's method needs few steps
  for (; x > 4; x /= 16) scale *= 4;
  for (; x < 0.25; x *= 16) scale /= 4;
  double root = 1;
  for (int i = 0; i < 8; ++i) root = 0.5 * (root + x / root);
  return scale * root;
}

/// The natural logarithm of x > 0, with an error of some 1e-15.
constexpr double constant_log(double x) {
  if (!(x > 0 && x < 1e300)) throw "constant_log: the number is not positive or too large";
  constexpr double ln2 = 0.69314718055994530942;
  double power = 0;
  for (; x > 1.5; x /= 2) power += 1;
  for (; x < 0.75; x *= 2) power -= 1;
  // log x = 2 artanh((x - 1) / (x + 1))
  const double y = (x - 1) / (x + 1), square = y * y;
  double sum = 0;
  for (int n = 41; n >= 1; n -= 2) sum = sum * square + 1.0 / n;
  return power * ln2 + 2 * y * sum;
}

}  // namespace formwork
