// The common passwords that the rule `notInBlocklist` refuses, beside repetitions and runs.
// Scripts/blocklist.py writes the list: folded, sorted by bytes, one entry a line.
#pragma once

#include <stddef.h>

/// The first byte of the list. It lies in the program's file and costs no memory until it is read.
extern const unsigned char *_Nonnull const common_passwords;
/// The number of its bytes.
extern const size_t common_passwords_length;
