/* Runs a model on QEMU's Cortex-M4 RUNS times, and prints its first outputs and the bytes of stack that the runs took. An adapter has
   the model's `infer`; tests/bare/arm.c has start-up code. */
#include <stdint.h>
#include <string.h>

#include "input.h"

extern void infer(const float *x, float *y);
extern void print(const char *text);
extern uint32_t stack_low[];

static float output[OUTPUT];

static void print_word(uint32_t word) {
    char text[10] = {0};
    for (int at = 0; at < 8; at++) text[at] = "0123456789abcdef"[word >> (28 - 4 * at) & 15];
    text[8] = '\n';
    print(text);
}

int main(void) {
    /* what nothing has written yet keeps this value */
    const uint32_t mark = 0x5a5a5a5a;
    uint32_t *here;
    __asm__ volatile("mov %0, sp" : "=r"(here));
    for (volatile uint32_t *word = stack_low; word < here; word++) *word = mark;
    for (int run = 0; run < RUNS; run++) infer((const float *)input, output);
    volatile uint32_t *lowest = stack_low;
    while (lowest < here && *lowest == mark) lowest++;
    for (int at = 0; at < OUTPUT; at++) {
        uint32_t word;
        memcpy(&word, &output[at], 4);
        print_word(word);
    }
    print_word((uint32_t)((uintptr_t)here - (uintptr_t)lowest));
    return 0;
}
