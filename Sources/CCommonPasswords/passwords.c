#include "CommonPasswords.h"

// #embed is part of C23; clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char list[] = {
#embed "passwords.txt"
};
const unsigned char *_Nonnull const common_passwords = list;
const size_t common_passwords_length = sizeof list;
