/* Operators that a C function implements, for onnxc::CustomOperator::from_c. */
#ifndef ONNXC_CUSTOM_H
#define ONNXC_CUSTOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor of numbers or booleans, in row-major order. */
typedef struct onnxc_tensor {
    int32_t type; /* the number of the element type in ONNX's TensorProto.DataType; 0: the input is missing */
    size_t rank;
    const int64_t *extents; /* outermost first */
    const void *data;
} onnxc_tensor;

/* A call of an operator. It and its tensors are valid until the function returns. */
typedef struct onnxc_call {
    size_t input_count;
    const onnxc_tensor *inputs;
    /* The memory of an output with these extents, which the function fills; null if there is no such output, or not enough memory. Called
     * once for each output. */
    void *(*output)(const struct onnxc_call *call, size_t index, size_t rank, const int64_t *extents);
    /* Read an attribute of type INT or FLOAT; 0 if the node does not have it. */
    int (*integer)(const struct onnxc_call *call, const char *name, int64_t *value);
    int (*real)(const struct onnxc_call *call, const char *name, float *value);
} onnxc_call;

/* Computes the outputs; returns null, or why that is not possible: a string that stays valid. Called by several threads. */
typedef const char *(*onnxc_function)(void *state, const onnxc_call *call);

#ifdef __cplusplus
}
#endif

#endif
