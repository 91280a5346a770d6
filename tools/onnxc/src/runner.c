/* A program that runs the model on files. */
#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#ifdef __unix__
#include <unistd.h>
#endif

/* The name of a value's type. */
static const char *type_name(int64_t number) {
    static const struct {
        int64_t number;
        const char *name;
    } types[] = {
        {model_bool, "bool"},       {model_int8, "int8"},       {model_uint8, "uint8"},     {model_int16, "int16"},
        {model_uint16, "uint16"},   {model_int32, "int32"},     {model_uint32, "uint32"},   {model_int64, "int64"},
        {model_uint64, "uint64"},   {model_float16, "float16"}, {model_float32, "float32"}, {model_float64, "float64"},
        {model_string, "string"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].number == number) return types[i].name;
    }
    return "?";
}

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

static int fail(const char *where, const char *problem) {
    fprintf(stderr, "error: %s: %s\n", where, problem);
    return 1;
}

#include "runner_files.c"

static int write_array(const char *folder, const model_port *port, const model_tensor *tensor) {
    char path[4096], header[1024];
    int start_of_name = snprintf(path, sizeof path, "%s/", folder);
    char *end = path + start_of_name, *last = path + sizeof path - 8;
    /* names of outputs may contain characters that file names may not: percent-encoded as in URLs */
    for (const char *c = port->name; *c && end < last; c++) {
        int is_escaped = *c == '/' || *c == '\\' || *c == '%';
        end += sprintf(end, is_escaped ? "%%%02X" : "%c", (unsigned char)*c);
    }
    strcpy(end, ".npy");
    int used = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                        descriptor(port->type));
    for (int64_t axis = 0; axis < port->rank; axis++) {
        used += snprintf(header + used, sizeof header - (size_t)used, "%lld,", (long long)tensor->shape[axis]);
    }
    used += snprintf(header + used, sizeof header - (size_t)used, "), }");
    while ((10 + used + 1) % 64 != 0) header[used++] = ' ';
    header[used++] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file) return fail(path, strerror(errno));
    unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)used, (unsigned char)(used >> 8)};
    size_t bytes = (size_t)size_of(port, tensor);
    int written = fwrite(start, 1, 10, file) == 10 && fwrite(header, 1, (size_t)used, file) == (size_t)used &&
                  fwrite(tensor->data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && written ? 0 : fail(path, "cannot be written");
}

/* The shortest text that reads back as the same number. */
static void print_float(double value, int is_single) {
    char text[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (is_single ? strtof(text, 0) == (float)value : strtod(text, 0) == value) break;
    }
    printf("%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

static void print_complex(double real, double imaginary, int is_single) {
    print_float(real, is_single);
    printf(signbit(imaginary) ? "-" : "+");
    print_float(fabs(imaginary), is_single);
    printf("i");
}

static void print_element(const char *type, const void *data, int64_t i) {
    if (strcmp(type, "float32") == 0) print_float(((const float *)data)[i], 1);
    else if (strcmp(type, "float64") == 0) print_float(((const double *)data)[i], 0);
    else if (strcmp(type, "complex64") == 0)
        print_complex(((const float *)data)[2 * i], ((const float *)data)[2 * i + 1], 1);
    else if (strcmp(type, "complex128") == 0)
        print_complex(((const double *)data)[2 * i], ((const double *)data)[2 * i + 1], 0);
    else if (strcmp(type, "int64") == 0) printf("%lld", (long long)((const int64_t *)data)[i]);
    else if (strcmp(type, "uint64") == 0) printf("%llu", (unsigned long long)((const uint64_t *)data)[i]);
    else if (strcmp(type, "int32") == 0) printf("%ld", (long)((const int32_t *)data)[i]);
    else if (strcmp(type, "uint32") == 0) printf("%lu", (unsigned long)((const uint32_t *)data)[i]);
    else if (strcmp(type, "int16") == 0) printf("%d", ((const int16_t *)data)[i]);
    else if (strcmp(type, "uint16") == 0) printf("%d", ((const uint16_t *)data)[i]);
    else if (strcmp(type, "int8") == 0) printf("%d", ((const int8_t *)data)[i]);
    else if (strcmp(type, "uint8") == 0) printf("%d", ((const uint8_t *)data)[i]);
    else if (strcmp(type, "bool") == 0) printf(((const uint8_t *)data)[i] ? "true" : "false");
    else if (strcmp(type, "string") == 0) printf("\"%s\"", ((const char *const *)data)[i]);
    else printf("?");
}

/* Type, shape and the first elements, as onnx-run prints them. */
static void print_tensor(const char *type, int64_t rank, const int64_t *shape, const void *data) {
    int64_t count = 1;
    printf("%s [", type);
    for (int64_t axis = 0; axis < rank; axis++) {
        printf("%s%lld", axis ? ", " : "", (long long)shape[axis]);
        count *= shape[axis];
    }
    printf("] [");
    for (int64_t i = 0; i < count && i < 8; i++) {
        if (i) printf(", ");
        print_element(type, data, i);
    }
    printf(count > 8 ? ", \xe2\x80\xa6]\n" : "]\n");
}

/* A value under a name, as onnx-run prints it; elements of a sequence are indented further. */
static void print_value(const char *name, int depth, const model_value *value) {
    if (value->kind == model_is_optional && value->count) {
        print_value(name, depth, value->values);
        return;
    }
    printf("%*s%s: ", 2 * depth, "", name);
    if (value->kind == model_is_tensor) {
        print_tensor(type_name(value->element_type), value->rank, value->shape, value->data);
    } else if (value->kind == model_is_optional) {
        printf("none\n");
    } else if (value->kind == model_is_map) {
        const model_value *keys = &value->values[0], *values = &value->values[1];
        int64_t count = keys->rank == 1 ? keys->shape[0] : 0;
        printf("map of %lld {", (long long)count);
        for (int64_t i = 0; i < count && i < 8; i++) {
            if (i) printf(", ");
            print_element(type_name(keys->element_type), keys->data, i);
            printf(": ");
            print_element(type_name(values->element_type), values->data, i);
        }
        printf(count > 8 ? ", \xe2\x80\xa6}\n" : "}\n");
    } else {
        printf("sequence of %lld\n", (long long)value->count);
        for (int64_t i = 0; i < value->count && i < 8; i++) {
            char number[32];
            snprintf(number, sizeof number, "%lld", (long long)i);
            print_value(number, depth + 1, &value->values[i]);
        }
        if (value->count > 8) printf("%*s\xe2\x80\xa6\n", 2 * depth + 2, "");
    }
}

/* A name and its value. */
static void describe(const model_port *port, const model_tensor *tensor) {
    if (tensor->element_type == 0) {
        print_value(port->name, 0, (const model_value *)tensor->data);
        return;
    }
    printf("%s: ", port->name);
    print_tensor(port->type, port->rank, tensor->shape, tensor->data);
}

static void usage(FILE *stream, const char *program) {
    fprintf(stream, "Usage: %s", program);
    for (int64_t i = 0; i < model_input_count; i++) fprintf(stream, " %s.npy", model_input(i)->name);
    fprintf(stream,
            " [-o FOLDER] [--bench RUNS]\n\nRuns the model and prints the outputs; with -o writes each that is a tensor to\n"
            "FOLDER/NAME.npy instead; with --bench prints the latency.\n\nInputs are .npy or .pb files, in order or as NAME=FILE, "
            "or a .npz file with all of them:\n\n");
    for (int64_t i = 0; i < model_input_count; i++) fprintf(stream, "  %s\n", model_input(i)->message);
    for (int64_t i = 0; i < model_output_count; i++) {
        fprintf(stream, "  output '%s': %s of rank %lld\n", model_output(i)->name, model_output(i)->type,
                (long long)model_output(i)->rank);
    }
}

/* Makes a folder unless it exists. */
static int make_folder(const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : fail(path, strerror(errno));
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

/* Prints the latency of runs. */
static int64_t measure(model_session *session, const model_tensor *inputs, model_tensor *outputs, long runs) {
    double *times = (double *)calloc((size_t)runs, sizeof *times);
    int64_t status = 0;
    for (long run = 0; times && run < runs && status == 0; run++) {
        double start = seconds();
        status = model_run(session, inputs, outputs);
        times[run] = seconds() - start;
        for (int64_t i = 0; i < model_output_count && status == 0; i++) model_free(&outputs[i]);
    }
    if (times && status == 0) {
        qsort(times, (size_t)runs, sizeof *times, compare);
        printf("latency of %ld runs: median %.4f ms, least %.4f ms\n", runs, 1e3 * times[runs / 2], 1e3 * times[0]);
    }
    free(times);
    return status;
}

/* What the command line asks for. */
typedef struct {
    const char *folder;
    long runs;
    model_tensor inputs[model_input_count + 1];
} request;

/* Reads the command line; the exit code if the program ends, else -1. */
static int read_arguments(int count, char **arguments, request *asked) {
    int64_t next = 0;
    for (int i = 1; i < count; i++) {
        const char *argument = arguments[i], *value = i + 1 < count ? arguments[i + 1] : 0;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            usage(stdout, arguments[0]);
            return 0;
        }
        int is_folder = strcmp(argument, "-o") == 0, is_bench = strcmp(argument, "--bench") == 0;
        if (is_folder && value) asked->folder = value;
        if (is_bench && value) asked->runs = strtol(value, 0, 10);
        if ((is_folder && !asked->folder) || (is_bench && asked->runs < 1)) {
            usage(stderr, arguments[0]);
            return 2;
        }
        if (is_folder || is_bench) i++;
        else if (read_input(argument, asked->inputs, &next)) return 1;
    }
    int found = 0;
    for (int64_t i = 0; i < model_input_count; i++) found += asked->inputs[i].data || model_input(i)->initial;
    if (found == model_input_count) return -1;
    fprintf(stderr, "error: the model takes %d inputs, found %d\n", (int)model_input_count, found);
    usage(stderr, arguments[0]);
    return 2;
}

#ifdef MODEL_WEIGHTS
#ifdef _WIN32
#define SEPARATORS "/\\"
#else
#define SEPARATORS "/"
#endif

/* Loads the weights from their file in the folder of the program. */
static int64_t load_weights(const char *program) {
    char path[4096];
    long length = -1;
#ifdef __unix__
    length = readlink("/proc/self/exe", path, sizeof path - 1);
#endif
    if (length < 0) length = snprintf(path, sizeof path, "%s", program);
    while (length > 0 && (length >= (long)sizeof path || !strchr(SEPARATORS, path[length - 1]))) length--;
    size_t room = sizeof path - (size_t)length;
    /* a path that is too long is that of no file */
    if ((size_t)snprintf(path + length, room, "%s", MODEL_WEIGHTS) >= room) path[0] = 0;
    return model_load_weights(path);
}
#else
/* They are inside. */
static int64_t load_weights(const char *program) {
    (void)program;
    return 0;
}
#endif

int main(int count, char **arguments) {
    request asked = {0};
    model_tensor outputs[model_output_count + 1];
    model_session session = {0};
    int end = read_arguments(count, arguments, &asked);
    if (end >= 0) return end;
    int64_t status = load_weights(arguments[0]);
    if (status == 0) status = model_run(&session, asked.inputs, outputs);
    int failed = asked.folder && status == 0 ? make_folder(asked.folder) : 0;
    for (int64_t i = 0; i < model_output_count && status == 0; i++) {
        /* only tensors have files */
        if (asked.runs == 0 && (!asked.folder || outputs[i].element_type == 0)) describe(model_output(i), &outputs[i]);
        else if (asked.folder && !failed) failed |= write_array(asked.folder, model_output(i), &outputs[i]);
        model_free(&outputs[i]);
    }
    if (asked.runs && status == 0) status = measure(&session, asked.inputs, outputs, asked.runs);
    if (status != 0) {
        fprintf(stderr, "error: %s\n", model_message(status));
        return 1;
    }
    for (int64_t i = 0; i < model_input_count; i++) free(asked.inputs[i].data);
    model_close(&session);
    return failed;
}
