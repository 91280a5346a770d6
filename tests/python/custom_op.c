/* A custom operator of ONNX Runtime: test.ops.Twice, whose output is twice its input. Functions are named by their places in OrtApi, so
 * that no header is needed. */
#include <stddef.h>
#include <stdint.h>

typedef struct Status Status;
typedef void *const *Api;
typedef struct {
    Api (*get_api)(uint32_t version);
    const char *(*version)(void);
} ApiBase;

static Api api;

#define CALL(index, ...) ((Status * (*)(__VA_ARGS__)) api[index])
#define CREATE_DOMAIN CALL(26, const char *, void **)
#define ADD_OPERATOR CALL(27, void *, const void *)
#define ADD_DOMAIN CALL(28, void *, void *)
#define GET_DATA CALL(51, void *, void **)
#define GET_RANK CALL(61, const void *, size_t *)
#define GET_EXTENTS CALL(62, const void *, int64_t *, size_t)
#define GET_COUNT CALL(64, const void *, size_t *)
#define GET_SHAPE CALL(65, const void *, void **)
#define GET_INPUT CALL(90, const void *, size_t, const void **)
#define GET_OUTPUT CALL(91, void *, size_t, const int64_t *, size_t, void **)
#define RELEASE_SHAPE ((void (*)(void *))api[99])

enum { FLOAT = 1, REQUIRED = 0 };

static void *create(const void *op, const void *functions, const void *info) { return (void *)op; }
static const char *name(const void *op) { return "Twice"; }
static const char *provider(const void *op) { return NULL; }
static int type(const void *op, size_t index) { return FLOAT; }
static size_t one(const void *op) { return 1; }
static void destroy(void *kernel) {}
static int characteristic(const void *op, size_t index) { return REQUIRED; }

static void compute(void *kernel, void *context) {
    const void *input;
    void *output, *shape, *from, *to;
    int64_t extents[8];
    size_t rank, count;
    GET_INPUT(context, 0, &input);
    GET_SHAPE(input, &shape);
    GET_RANK(shape, &rank);
    GET_EXTENTS(shape, extents, rank);
    GET_COUNT(shape, &count);
    RELEASE_SHAPE(shape);
    GET_OUTPUT(context, 0, extents, rank, &output);
    GET_DATA((void *)input, &from);
    GET_DATA(output, &to);
    for (size_t at = 0; at < count; at++)
        ((float *)to)[at] = 2 * ((const float *)from)[at];
}

static const struct {
    uint32_t version;
    void *(*create)(const void *, const void *, const void *);
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
} twice = {8, create, name, provider, type, one, type, one, compute, destroy, characteristic, characteristic};

Status *RegisterCustomOps(void *options, const ApiBase *base) {
    void *domain;
    Status *status;
    api = base->get_api(8);
    if ((status = CREATE_DOMAIN("test.ops", &domain)) || (status = ADD_OPERATOR(domain, &twice)))
        return status;
    return ADD_DOMAIN(options, domain);
}
