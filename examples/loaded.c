/* Opens libraries of models when it runs: LIBRARY NAME for each. Runs each on zeros, with every open extent 1; with a
   number in front, opens and closes them that often. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in the header of every model. */
typedef struct {
    const char *name;
    const char *type;
    int64_t element_bytes;
    int64_t rank;
    const int64_t *shape;
    const char *message;
} port;

typedef struct {
    void *state;
} session;

/* The function NAME_function of a library. */
static void *find(void *library, const char *name, const char *function) {
    char symbol[256];
    snprintf(symbol, sizeof symbol, "%s_%s", name, function);
    void *found = dlsym(library, symbol);
    if (!found) {
        fprintf(stderr, "error: %s\n", dlerror());
        exit(1);
    }
    return found;
}

/* A tensor is an address, as many extents as the largest rank of the model's ports, and an element type, which may be 0. */
static int64_t count_ports(const port *(*get)(int64_t), int64_t *max_rank) {
    int64_t count = 0;
    for (const port *next; (next = get(count)); count++) {
        if (next->rank > *max_rank) *max_rank = next->rank;
    }
    return count;
}

static int run(const char *path, const char *name, int is_last) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "error: %s\n", dlerror());
        return 1;
    }
    const port *(*input)(int64_t) = (const port *(*)(int64_t))find(library, name, "input");
    const port *(*output)(int64_t) = (const port *(*)(int64_t))find(library, name, "output");
    int64_t (*run_model)(session *, const int64_t *, int64_t *) =
        (int64_t (*)(session *, const int64_t *, int64_t *))find(library, name, "run");
    void (*free_tensor)(int64_t *) = (void (*)(int64_t *))find(library, name, "free");
    void (*close_session)(session *) = (void (*)(session *))find(library, name, "close");
    const char *(*message)(int64_t) = (const char *(*)(int64_t))find(library, name, "message");

    int64_t max_rank = 1;
    int64_t input_count = count_ports(input, &max_rank), output_count = count_ports(output, &max_rank);
    int64_t words = 2 + max_rank;
    int64_t *inputs = calloc((size_t)(input_count * words + 1), sizeof *inputs);
    int64_t *outputs = calloc((size_t)(output_count * words + 1), sizeof *outputs);
    for (int64_t i = 0; i < input_count; i++) {
        size_t count = 1;
        for (int64_t axis = 0; axis < input(i)->rank; axis++) {
            int64_t extent = input(i)->shape[axis] < 0 ? 1 : input(i)->shape[axis];
            inputs[i * words + 1 + axis] = extent;
            count *= (size_t)extent;
        }
        inputs[i * words] = (int64_t)(intptr_t)calloc(count + 1, (size_t)input(i)->element_bytes);
    }
    session state = {0};
    int64_t status = run_model(&state, inputs, outputs);
    if (status != 0) fprintf(stderr, "error: %s\n", message(status));
    for (int64_t i = 0; i < output_count && status == 0; i++) {
        if (is_last) {
            printf("%s %s: %s", name, output(i)->name, output(i)->type);
            for (int64_t axis = 0; axis < output(i)->rank; axis++) {
                printf("%s%lld", axis ? ", " : " [", (long long)outputs[i * words + 1 + axis]);
            }
            printf("]\n");
        }
        free_tensor(&outputs[i * words]);
    }
    for (int64_t i = 0; i < input_count; i++) free((void *)(intptr_t)inputs[i * words]);
    free(inputs);
    free(outputs);
    close_session(&state);
    dlclose(library);
    return status != 0;
}

/* Kilobytes of this process in memory. */
static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * 4;
}

int main(int count, char **arguments) {
    int rounds = 1, first = 1;
    if (count % 2 == 0 && count > 2) {
        rounds = atoi(arguments[1]);
        first = 2;
    }
    if (count - first < 2) {
        fprintf(stderr, "usage: %s [TIMES] LIBRARY NAME...\n", arguments[0]);
        return 2;
    }
    long before = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = first; i + 1 < count; i += 2) {
            if (run(arguments[i], arguments[i + 1], round + 1 == rounds)) return 1;
        }
        // the first rounds fill what is kept from run to run
        if (round == rounds / 10) before = resident();
    }
    if (rounds > 1) printf("grown by %ld kilobytes\n", resident() - before);
    return 0;
}
