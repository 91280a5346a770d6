/* What code without a runtime calls of the C library. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count) {
    for (size_t at = 0; at < count; at++) ((volatile char *)to)[at] = ((const char *)from)[at];
    return to;
}

void *memset(void *to, int value, size_t count) {
    for (size_t at = 0; at < count; at++) ((volatile char *)to)[at] = (char)value;
    return to;
}
