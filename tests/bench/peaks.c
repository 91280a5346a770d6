// What this processor can do at most on one thread, as JSON: floating-point operations and products of bytes (two operations a
// product) in 10^9 a second, and bytes read from memory in 10^9 a second. Compile for the processor itself.

#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ROUNDS = 5, CHAINS = 16, STEPS = 4000000, BYTES = 1 << 28 };

#ifdef __AVX512F__
typedef float Floats __attribute__((vector_size(64)));
#else
typedef float Floats __attribute__((vector_size(32)));
#endif

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

// The fastest of a few runs, in seconds.
static double fastest(void (*run)(void)) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        run();
        double time = now() - start;
        best = time < best ? time : best;
    }
    return best;
}

static volatile float sink;

static void multiply_add(void) {
    Floats chains[CHAINS], factor, term;
    memset(chains, 0, sizeof chains);
    for (unsigned lane = 0; lane < sizeof factor / sizeof(float); lane++) {
        factor[lane] = 0.5f;
        term[lane] = 1.0f;
    }
    for (int step = 0; step < STEPS; step++) {
        for (int chain = 0; chain < CHAINS; chain++) chains[chain] = chains[chain] * factor + term;
        // the compiler must not see through the loop
        __asm__ volatile("" : "+x"(factor), "+x"(term));
    }
    for (int chain = 0; chain < CHAINS; chain++) sink = chains[chain][0];
}

#if defined(__AVX512VNNI__)
typedef __m512i Bytes;
#define MULTIPLY_BYTES _mm512_dpbusd_epi32
#elif defined(__AVXVNNI__)
typedef __m256i Bytes;
#define MULTIPLY_BYTES _mm256_dpbusd_avx_epi32
#endif

#ifdef MULTIPLY_BYTES
static void multiply_bytes(void) {
    Bytes chains[CHAINS] = {0}, a, b;
    memset(&a, 1, sizeof a);
    memset(&b, 1, sizeof b);
    for (int step = 0; step < STEPS; step++) {
#pragma GCC unroll 16
        for (int chain = 0; chain < CHAINS; chain++) chains[chain] = MULTIPLY_BYTES(chains[chain], a, b);
        __asm__ volatile("" : "+x"(a), "+x"(b));
    }
    Bytes sum = {0};
#pragma GCC unroll 16
    for (int chain = 0; chain < CHAINS; chain++) sum += chains[chain];
    int first;
    memcpy(&first, &sum, sizeof first);
    sink = first;
}
#endif

static Floats *memory;

static void read_memory(void) {
    enum { AT_ONCE = 8 };
    Floats sums[AT_ONCE];
    memset(sums, 0, sizeof sums);
    for (size_t at = 0; at < BYTES / sizeof(Floats); at += AT_ONCE)
        for (int sum = 0; sum < AT_ONCE; sum++) sums[sum] += memory[at + sum];
    for (int sum = 0; sum < AT_ONCE; sum++) sink = sums[sum][0];
}

int main(void) {
    double operations = 2.0 * CHAINS * STEPS * sizeof(Floats) / sizeof(float);
    printf("{\"float\": %.2f", operations / fastest(multiply_add) * 1e-9);
#ifdef MULTIPLY_BYTES
    printf(", \"byte\": %.2f", 2.0 * CHAINS * STEPS * sizeof(Bytes) / fastest(multiply_bytes) * 1e-9);
#endif
    memory = aligned_alloc(1 << 21, BYTES);
    // only a hint: walks of page tables are not what is measured
    madvise(memory, BYTES, MADV_HUGEPAGE);
    memset(memory, 0, BYTES);
    printf(", \"memory\": %.2f}\n", BYTES / fastest(read_memory) * 1e-9);
    free(memory);
    return 0;
}
