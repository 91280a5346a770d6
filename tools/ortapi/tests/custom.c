/* A library with custom operators, as programs write them: it finds the functions in OrtApi by their positions, which the test passes as
 * macros, so that no header is needed.
 *
 *   test.ops.Scale (x, offset) -> y    y = factor * x + offset; with shape inference; the offset is optional; fails if x[0] is 13
 *   test.ops.Positive (x) -> y         the positive elements of x; the model declares type and shape of y
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Status Status;
typedef void *const *Api;
typedef struct {
    Api (*get_api)(uint32_t version);
    const char *(*version)(void);
} ApiBase;

static Api api;
static int kernels;

#define CALL(index, ...) ((Status * (*)(__VA_ARGS__)) api[index])

enum { UNDEFINED = 0, FLOAT = 1, REQUIRED = 0, OPTIONAL = 1, INVALID_ARGUMENT = 2 };

/* The number of kernels that have not been destroyed. */
int live_kernels(void) { return kernels; }

static size_t one(const void *op) { (void)op; return 1; }
static size_t two(const void *op) { (void)op; return 2; }
static int floats(const void *op, size_t index) { (void)op, (void)index; return FLOAT; }
static int undefined(const void *op, size_t index) { (void)op, (void)index; return UNDEFINED; }
static int required(const void *op, size_t index) { (void)op, (void)index; return REQUIRED; }
static int second_is_optional(const void *op, size_t index) { (void)op; return index == 1 ? OPTIONAL : REQUIRED; }
static const char *provider(const void *op) { (void)op; return NULL; }

static void destroy(void *kernel) {
    kernels--;
    free(kernel);
}

static size_t count_of(const void *value, int64_t *extents, size_t *rank) {
    void *shape;
    size_t count;
    CALL(GetTensorTypeAndShape, const void *, void **)(value, &shape);
    CALL(GetDimensionsCount, const void *, size_t *)(shape, rank);
    CALL(GetDimensions, const void *, int64_t *, size_t)(shape, extents, *rank);
    CALL(GetTensorShapeElementCount, const void *, size_t *)(shape, &count);
    ((void (*)(void *))api[ReleaseTensorTypeAndShapeInfo])(shape);
    return count;
}

static float *data_of(const void *value) {
    void *data;
    CALL(GetTensorMutableData, void *, void **)((void *)value, &data);
    return data;
}

static const char *scale_name(const void *op) { (void)op; return "Scale"; }

static Status *scale_create(const void *op, Api table, const void *info, void **kernel) {
    (void)op;
    float factor;
    Status *status = ((Status * (*)(const void *, const char *, float *)) table[KernelInfoGetAttribute_float])(info, "factor", &factor);
    if (status) return status;
    *kernel = malloc(sizeof factor);
    *(float *)*kernel = factor;
    kernels++;
    return NULL;
}

static Status *scale_compute(void *kernel, void *context) {
    const void *x, *offset = NULL;
    void *y;
    size_t rank, inputs;
    int64_t extents[8];
    CALL(KernelContext_GetInputCount, const void *, size_t *)(context, &inputs);
    CALL(KernelContext_GetInput, const void *, size_t, const void **)(context, 0, &x);
    if (inputs > 1) CALL(KernelContext_GetInput, const void *, size_t, const void **)(context, 1, &offset);
    size_t count = count_of(x, extents, &rank);
    if (count && data_of(x)[0] == 13) return CALL(CreateStatus, int, const char *)(INVALID_ARGUMENT, "13 is refused");
    Status *status = CALL(KernelContext_GetOutput, void *, size_t, const int64_t *, size_t, void **)(context, 0, extents, rank, &y);
    if (status) return status;
    for (size_t at = 0; at < count; at++)
        data_of(y)[at] = *(float *)kernel * data_of(x)[at] + (offset ? data_of(offset)[0] : 0);
    return NULL;
}

static Status *scale_infer(const void *op, void *context) {
    (void)op;
    void *shape;
    Status *status = CALL(ShapeInferContext_GetInputTypeShape, const void *, size_t, void **)(context, 0, &shape);
    return status ? status : CALL(ShapeInferContext_SetOutputTypeShape, const void *, size_t, const void *)(context, 0, shape);
}

static const char *positive_name(const void *op) { (void)op; return "Positive"; }

static void *positive_create(const void *op, Api table, const void *info) {
    (void)op, (void)table, (void)info;
    kernels++;
    return malloc(1);
}

static void positive_compute(void *kernel, void *context) {
    (void)kernel;
    const void *x;
    void *y;
    size_t rank;
    int64_t extents[8], kept = 0;
    CALL(KernelContext_GetInput, const void *, size_t, const void **)(context, 0, &x);
    size_t count = count_of(x, extents, &rank);
    for (size_t at = 0; at < count; at++) kept += data_of(x)[at] > 0;
    CALL(KernelContext_GetOutput, void *, size_t, const int64_t *, size_t, void **)(context, 0, &kept, 1, &y);
    float *to = data_of(y);
    for (size_t at = 0; at < count; at++)
        if (data_of(x)[at] > 0) *to++ = data_of(x)[at];
}

/* OrtCustomOp of version 17. */
static const struct {
    uint32_t version;
    void *(*create)(const void *, Api, const void *);
    const char *(*name)(const void *);
    const char *(*provider)(const void *);
    int (*input_type)(const void *, size_t);
    size_t (*input_count)(const void *);
    int (*output_type)(const void *, size_t);
    size_t (*output_count)(const void *);
    void (*compute)(void *, void *);
    void (*destroy)(void *);
    int (*input_characteristic)(const void *, size_t);
    int (*output_characteristic)(const void *, size_t);
    int (*input_memory)(const void *, size_t);
    int (*arities[4])(const void *);
    Status *(*create_v2)(const void *, Api, const void *, void **);
    Status *(*compute_v2)(void *, void *);
    Status *(*infer)(const void *, void *);
    int (*versions[2])(const void *);
} scale = {17, NULL, scale_name, provider, floats, two, floats, one, NULL, destroy, second_is_optional, required,
           NULL, {NULL}, scale_create, scale_compute, scale_infer, {NULL}};

/* OrtCustomOp of version 8, which ends with the characteristics. */
static const struct {
    uint32_t version;
    void *(*create)(const void *, Api, const void *);
    const char *(*name)(const void *);
    const char *(*provider)(const void *);
    int (*input_type)(const void *, size_t);
    size_t (*input_count)(const void *);
    int (*output_type)(const void *, size_t);
    size_t (*output_count)(const void *);
    void (*compute)(void *, void *);
    void (*destroy)(void *);
    int (*input_characteristic)(const void *, size_t);
    int (*output_characteristic)(const void *, size_t);
} positive = {8, positive_create, positive_name, provider, floats, one, undefined, one, positive_compute, destroy, required, required};

Status *RegisterCustomOps(void *options, const ApiBase *base) {
    void *domain;
    Status *status;
    api = base->get_api(17);
    if ((status = CALL(CreateCustomOpDomain, const char *, void **)("test.ops", &domain))) return status;
    if ((status = CALL(CustomOpDomain_Add, void *, const void *)(domain, &scale))) return status;
    if ((status = CALL(CustomOpDomain_Add, void *, const void *)(domain, &positive))) return status;
    if ((status = CALL(AddCustomOpDomain, void *, void *)(options, domain))) return status;
    ((void (*)(void *))api[ReleaseCustomOpDomain])(domain);
    return NULL;
}
