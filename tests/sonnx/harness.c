/* Runs objects without a runtime, one after the other, and writes their outputs into a folder: CASE.OUTPUT, and their return
   codes as lines. Compiled for each processor whose results are compared; CASES names the table. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t function(const void *const *inputs, void *const *outputs);

/* An object, the files with its inputs, and the bytes of its outputs. */
struct instance {
    function *initialize, *run;
    int input_count, output_count;
    const char *const *inputs;
    const long *outputs;
};

#include CASES

/* Functions of C23 that C libraries lack. */
double roundeven(double x) { return rint(x); }
float roundevenf(float x) { return rintf(x); }

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Memory with the alignment of any element type. */
static void *bytes(long count) {
    void *memory = calloc((size_t)(count / 8 + 1), 8);
    if (!memory) fail("memory");
    return memory;
}

static void *contents(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail(path);
    long count = ftell(file);
    void *memory = bytes(count);
    rewind(file);
    if (count && fread(memory, (size_t)count, 1, file) != 1) fail(path);
    fclose(file);
    return memory;
}

/* What an object returns; the outputs are written to files of the folder. */
static int64_t run(const struct instance *one, const char *folder, int number) {
    const void *inputs[64];
    void *outputs[64], *missing[64] = {0};
    if (one->input_count > 64 || one->output_count > 64) fail("too many inputs or outputs");
    for (int at = 0; at < one->input_count; at++) inputs[at] = contents(one->inputs[at]);
    for (int at = 0; at < one->output_count; at++) outputs[at] = bytes(one->outputs[at]);
    if (one->initialize(0, 0) != 0) fail("nothing of the initialisation may fail");
    if (one->output_count && one->run(inputs, missing) != -7) fail("a missing address is a code");
    int64_t first = one->run(inputs, outputs), again = one->run(inputs, outputs);
    if (first != again) fail("a run leaves no state");
    for (int at = 0; at < one->output_count; at++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%d.%d", folder, number, at);
        FILE *file = fopen(path, "wb");
        if (!file || (one->outputs[at] && fwrite(outputs[at], (size_t)one->outputs[at], 1, file) != 1) || fclose(file)) fail(path);
        free(outputs[at]);
    }
    for (int at = 0; at < one->input_count; at++) free((void *)inputs[at]);
    return again;
}

int main(int count, char **arguments) {
    if (count != 2) fail("a folder for the outputs");
    for (int number = 0; number < (int)(sizeof cases / sizeof *cases); number++)
        printf("%lld\n", (long long)run(&cases[number], arguments[1], number));
    return 0;
}
