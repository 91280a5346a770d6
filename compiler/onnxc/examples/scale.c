/* The operator my.ops.Scale for float32: y = factor * x. Compile with: cc -shared -fPIC -Iinclude -o libscale.so examples/scale.c */
#include "onnxc_custom.h"

const char *scale(void *state, const onnxc_call *call) {
    const onnxc_tensor *x = &call->inputs[0];
    float factor = 1, *y;
    size_t count = 1, at;
    (void)state;
    if (call->input_count != 1 || x->type != 1)
        return "Scale takes one tensor of float32";
    for (at = 0; at < x->rank; at++)
        count *= (size_t)x->extents[at];
    call->real(call, "factor", &factor);
    y = call->output(call, 0, x->rank, x->extents);
    if (!y)
        return "out of memory";
    for (at = 0; at < count; at++)
        y[at] = factor * ((const float *)x->data)[at];
    return NULL;
}
