/* Runs a model on the elements in in/0, in/1, …, and writes those of its outputs to out/0, out/1, …. Before the elements of an
   output stand its extents. `shapes.h` defines SHAPES, the extents of the inputs. */
#include <stdio.h>
#include <stdlib.h>

#include "net.h"
#include "shapes.h"

static size_t bytes(const net_port *port, const int64_t *shape) {
    size_t size = (size_t)port->element_bytes;
    for (int64_t axis = 0; axis < port->rank; axis++) size *= (size_t)shape[axis];
    return size;
}

static FILE *file(const char *folder, int64_t index, const char *mode) {
    char path[64];
    snprintf(path, sizeof path, "%s/%d", folder, (int)index);
    return fopen(path, mode);
}

static int read_input(int64_t index, net_tensor *input) {
    const net_port *port = net_input(index);
    for (int64_t axis = 0; axis < port->rank; axis++) input->shape[axis] = SHAPES[index][axis];
    const size_t size = bytes(port, input->shape);
    input->data = malloc(size + 1);
    FILE *source = file("in", index, "rb");
    const int is_read = source != NULL && input->data != NULL && fread(input->data, 1, size, source) == size;
    if (source != NULL) fclose(source);
    return is_read;
}

static int write_output(int64_t index, net_tensor *output) {
    const net_port *port = net_output(index);
    const size_t size = bytes(port, output->shape), extents = (size_t)port->rank;
    FILE *target = file("out", index, "wb");
    if (target == NULL) return 0;
    const int is_written = fwrite(output->shape, sizeof(int64_t), extents, target) == extents
        && fwrite(output->data, 1, size, target) == size;
    net_free(output);
    return fclose(target) == 0 && is_written;
}

int main(void) {
    static net_tensor inputs[net_input_count], outputs[net_output_count];
    net_session session = {0};
    for (int64_t index = 0; index < net_input_count; index++) {
        if (!read_input(index, &inputs[index])) return 2;
    }
    /* a second run has the memory of the first */
    for (int round = 0; round < 2; round++) {
        const int64_t status = net_run(&session, inputs, outputs);
        if (status != 0) {
            fprintf(stderr, "%s\n", net_message(status));
            return 1;
        }
        for (int64_t index = 0; index < net_output_count; index++) {
            if (!write_output(index, &outputs[index])) return 2;
        }
    }
    for (int64_t index = 0; index < net_input_count; index++) free(inputs[index].data);
    net_close(&session);
    return 0;
}
