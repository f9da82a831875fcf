#!/usr/bin/env python3
"""Writes include/formwork/metric/unicode_categories.hpp from Python's own Unicode data.

Usage: python3 cmake/unicode_table.py > include/formwork/metric/unicode_categories.hpp

Everything is derived by asking Python about each code point: its general category, str.lower(), and how it
affects the lower-case form of a Greek capital sigma beside it. No other table is read.
"""
import unicodedata

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
SIGMA, FINAL_SIGMA = "\u03a3", "\u03c2"
WIDTH = 110
VERSION = unicodedata.unidata_version


def category(c):
    letter = unicodedata.category(chr(c))[0]
    return letter if letter in "PSN" else None


def sigma_context(c):
    """'C' for cased, 'I' for case-ignorable; a character that is both counts as ignorable, as in Python."""
    if (chr(c) + SIGMA).lower().endswith(FINAL_SIGMA):
        return "C"
    if ("a" + chr(c) + SIGMA).lower().endswith(FINAL_SIGMA):
        return "I"
    return None


def ranges_of(kind_of):
    ranges = []
    for c in CODE_POINTS:
        kind = kind_of(c)
        if kind is None:
            continue
        if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == kind:
            ranges[-1][1] = c
        else:
            ranges.append([c, c, kind])
    return [f"{{0x{first:X}, {last - first + 1}, '{kind}'}}" for first, last, kind in ranges]


def lowercase_ranges():
    """Runs of code points with one distance to their lower-case form and one stride between them."""
    ranges = []
    for c in CODE_POINTS:
        lower = chr(c).lower()
        if len(lower) != 1 or lower == chr(c):
            continue
        distance = ord(lower) - c
        if ranges and ranges[-1][3] == distance:
            first, last, stride, _ = ranges[-1]
            if (first == last and c - last <= 2) or (first != last and c - last == stride):
                ranges[-1][1:3] = [c, c - last]
                continue
        ranges.append([c, c, 1, distance])
    return [f"{{0x{first:X}, {(last - first) // stride + 1}, {stride}, {distance}}}"
            for first, last, stride, distance in ranges]


def table(declaration, entries):
    lines, line = [], "   "
    for entry in entries:
        if len(line) + len(entry) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {entry},"
    return "\n".join([f"inline constexpr {declaration}[] = {{", *lines, line, "};"])


long_lower = [c for c in CODE_POINTS if len(chr(c).lower()) != 1]
assert long_lower == [0x130], "metric/unicode.hpp knows one lower-case form longer than a code point"

print(f"""#pragma once
// Written by cmake/unicode_table.py from Python's Unicode data, version {VERSION}. Do not edit.

namespace formwork::detail {{

/// `count` code points of one kind, from `first` on.
struct unicode_range {{
  char32_t first;
  int count;
  char kind;
}};

/// `count` code points from `first` on, `stride` apart, each with its lower-case form `distance` away.
struct lowercase_range {{
  char32_t first;
  int count, stride, distance;
}};

// clang-format off

/// General categories: 'P' punctuation, 'S' symbol, 'N' number; everything else is in no range.
{table("unicode_range unicode_categories", ranges_of(category))}

/// What matters for a capital sigma: 'C' cased, 'I' case-ignorable (also where it is both).
{table("unicode_range sigma_contexts", ranges_of(sigma_context))}

/// Simple lower-case mappings. Only U+0130 has a longer form.
{table("lowercase_range lowercase_ranges", lowercase_ranges())}

// clang-format on

}}  // namespace formwork::detail""")
