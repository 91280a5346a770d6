/* Runs a model that this program is linked with on zeros, with every open extent 1. */
#include <stdio.h>
#include <stdlib.h>
#include "net.h"

int main(void) {
    net_tensor inputs[net_input_count + 1] = {{0}}, outputs[net_output_count + 1];
    net_session session = {0};
    for (int64_t i = 0; i < net_input_count; i++) {
        const net_port *port = net_input(i);
        size_t count = 1;
        for (int64_t axis = 0; axis < port->rank; axis++) {
            inputs[i].shape[axis] = port->shape[axis] < 0 ? 1 : port->shape[axis];
            count *= (size_t)inputs[i].shape[axis];
        }
        inputs[i].element_type = port->element_type;
        inputs[i].data = calloc(count + 1, (size_t)port->element_bytes);
    }
    int64_t status = net_run(&session, inputs, outputs);
    if (status != 0) {
        fprintf(stderr, "error: %s\n", net_message(status));
        return 1;
    }
    for (int64_t i = 0; i < net_output_count; i++) {
        printf("%s: %s\n", net_output(i)->name, net_output(i)->type);
        net_free(&outputs[i]);
    }
    for (int64_t i = 0; i < net_input_count; i++) free(inputs[i].data);
    net_close(&session);
    return 0;
}
