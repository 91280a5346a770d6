/* Runs the model on .npy files: one for each input in order, then, if wanted, -o and a folder for the outputs. */
#include "model.h"

#include <stdio.h>

/* The type of an array's elements as .npy files name it. */
static const char *descriptor(const char *type) {
    static const char *const names[][2] = {
        {"bool", "|b1"},   {"int8", "|i1"},   {"uint8", "|u1"},   {"int16", "<i2"},   {"uint16", "<u2"},
        {"int32", "<i4"},  {"uint32", "<u4"}, {"int64", "<i8"},   {"uint64", "<u8"},  {"float16", "<f2"},
        {"float32", "<f4"}, {"float64", "<f8"}, {"complex64", "<c8"}, {"complex128", "<c16"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], type) == 0) return names[i][1];
    }
    return "|V2";
}

static int fail(const char *path, const char *problem) {
    fprintf(stderr, "error: %s: %s\n", path, problem);
    return 1;
}

static int read_array(const char *path, const model_port *port, model_tensor *tensor) {
    unsigned char start[12];
    FILE *file = fopen(path, "rb");
    if (!file) return fail(path, "cannot be read");
    if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0) return fail(path, "is no .npy file");
    size_t length = start[8] | (size_t)start[9] << 8;
    if (start[6] >= 2) {
        if (fread(start + 10, 1, 2, file) != 2) return fail(path, "breaks off");
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    char *header = (char *)malloc(length + 1);
    if (!header || fread(header, 1, length, file) != length) return fail(path, "breaks off");
    header[length] = 0;
    char *type = strstr(header, "'descr':"), *shape = strstr(header, "'shape':");
    if (!type || !shape || !strstr(header, "'fortran_order': False")) return fail(path, "has another layout than C's");
    const char *wanted = descriptor(port->type);
    if (!strstr(type, wanted)) return fail(path, "has elements of another type than the model takes");
    char *next = strchr(shape, '(');
    int64_t rank = 0, count = 1;
    for (next = next ? next + 1 : shape; *next && *next != ')';) {
        char *end;
        int64_t extent = strtoll(next, &end, 10);
        if (end == next) {
            next++;
            continue;
        }
        if (rank >= port->rank) return fail(path, "has more dimensions than the model takes");
        tensor->shape[rank++] = extent;
        count *= extent;
        next = end;
    }
    if (rank != port->rank) return fail(path, "has fewer dimensions than the model takes");
    size_t bytes = (size_t)(count * port->element_bytes);
    free(header);
    tensor->data = malloc(bytes ? bytes : 1);
    if (!tensor->data || fread(tensor->data, 1, bytes, file) != bytes) return fail(path, "breaks off");
    fclose(file);
    return 0;
}

static int64_t count_of(const model_port *port, const model_tensor *tensor) {
    int64_t count = 1;
    for (int64_t axis = 0; axis < port->rank; axis++) count *= tensor->shape[axis];
    return count;
}

static int write_array(const char *folder, int64_t index, const model_port *port, const model_tensor *tensor) {
    char path[4096], header[1024];
    snprintf(path, sizeof path, "%s/output_%lld.npy", folder, (long long)index);
    int used = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                        descriptor(port->type));
    for (int64_t axis = 0; axis < port->rank; axis++) {
        used += snprintf(header + used, sizeof header - used, "%lld,", (long long)tensor->shape[axis]);
    }
    used += snprintf(header + used, sizeof header - used, "), }");
    while ((10 + used + 1) % 64 != 0) header[used++] = ' ';
    header[used++] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file) return fail(path, "cannot be written");
    unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)used, (unsigned char)(used >> 8)};
    size_t bytes = (size_t)(count_of(port, tensor) * port->element_bytes);
    int written = fwrite(start, 1, 10, file) == 10 && fwrite(header, 1, used, file) == (size_t)used &&
                  fwrite(tensor->data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && written ? 0 : fail(path, "cannot be written");
}

static void describe(const model_port *port, const model_tensor *tensor) {
    printf("%s: %s [", port->name, port->type);
    for (int64_t axis = 0; axis < port->rank; axis++) printf("%s%lld", axis ? ", " : "", (long long)tensor->shape[axis]);
    printf("]");
    int64_t count = count_of(port, tensor);
    for (int64_t i = 0; i < count && i < 8; i++) {
        if (strcmp(port->type, "float32") == 0) printf(" %g", ((const float *)tensor->data)[i]);
        if (strcmp(port->type, "float64") == 0) printf(" %g", ((const double *)tensor->data)[i]);
        if (strcmp(port->type, "int64") == 0) printf(" %lld", (long long)((const int64_t *)tensor->data)[i]);
    }
    printf("\n");
}

static int usage(const char *program) {
    fprintf(stderr, "usage: %s", program);
    for (int64_t i = 0; i < model_input_count; i++) fprintf(stderr, " %s.npy", model_inputs[i].name);
    fprintf(stderr, " [-o FOLDER]\n");
    return 2;
}

int main(int count, char **arguments) {
    model_tensor inputs[model_input_count + 1], outputs[model_output_count + 1];
    model_session session;
    const char *folder = 0;
    if (count == model_input_count + 3 && strcmp(arguments[count - 2], "-o") == 0) {
        folder = arguments[count - 1];
        count -= 2;
    }
    if (count != model_input_count + 1) return usage(arguments[0]);
    for (int64_t i = 0; i < model_input_count; i++) {
        if (read_array(arguments[i + 1], &model_inputs[i], &inputs[i])) return 1;
    }
    memset(&session, 0, sizeof session);
    int64_t status = model_initialize();
    if (status == 0) status = model_run(&session, inputs, outputs);
    if (status != 0) {
        fprintf(stderr, "error: %s\n", model_message(status));
        return 1;
    }
    int failed = 0;
    for (int64_t i = 0; i < model_output_count; i++) {
        if (folder) failed |= write_array(folder, i, &model_outputs[i], &outputs[i]);
        else describe(&model_outputs[i], &outputs[i]);
        model_free(&outputs[i]);
    }
    model_close(&session);
    return failed;
}
