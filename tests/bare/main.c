/* Runs a model without a runtime on a machine without an operating system, once and then RUNS times, and prints the bits of its output, and the bytes of stack that the later runs took. The machine's file has start-up code and `print`. */
#include <stdint.h>

#include "input.h"

#ifndef RUNS
#define RUNS 1
#endif

extern int64_t net_initialize(const void *const *none, void *const *nothing);
extern int64_t net_run(const void *const *inputs, void *const *outputs);
extern void print(const char *text);
extern uint32_t stack_low[];

static float output[OUTPUT];

static void print_word(uint32_t word) {
    char text[10];
    for (int at = 0; at < 8; at++) text[at] = "0123456789abcdef"[word >> (28 - 4 * at) & 15];
    text[8] = '\n';
    text[9] = 0;
    print(text);
}

int main(void) {
    const void *inputs[] = {input};
    void *outputs[] = {output};
    if (net_initialize(0, 0) || net_run(inputs, outputs)) return 1;
    /* what nothing has written yet keeps this value */
    const uint32_t mark = 0x5a5a5a5a;
    uint32_t *here;
#ifdef __arm__
    __asm__ volatile("mov %0, sp" : "=r"(here));
#else
    __asm__ volatile("mv %0, sp" : "=r"(here));
#endif
    for (volatile uint32_t *word = stack_low; word < here; word++) *word = mark;
    for (int run = 0; run < RUNS; run++)
        if (net_run(inputs, outputs)) return 1;
    volatile uint32_t *lowest = stack_low;
    while (lowest < here && *lowest == mark) lowest++;
    for (int at = 0; at < OUTPUT; at++) print_word(((const uint32_t *)output)[at]);
    print("stack\n");
    print_word((uint32_t)((uintptr_t)here - (uintptr_t)lowest));
    return 0;
}
