
/* Training. A session has variables, which start with the values of the model's initializers and which its runs read. */
enum { @NAME@_training_input_count = @INPUTS@, @NAME@_training_output_count = @OUTPUTS@ };

/* Initializes the variables; 0 is success. */
int64_t @NAME@_training_initialize(@NAME@_session *session);

/* Takes a step: @INPUTS@ inputs and @OUTPUTS@ outputs, in the order below, which the caller owns as those of a run. The
   variables change all at once, and only when the step succeeds: 0. */
int64_t @NAME@_training_step(@NAME@_session *session, const @NAME@_tensor *inputs, @NAME@_tensor *outputs);

/* The error message of a training status. */
const char *@NAME@_training_message(int64_t status);

/* The inputs and outputs of a step; NULL after the last one.
@PORTS@ */
const @NAME@_port *@NAME@_training_input(int64_t index);
const @NAME@_port *@NAME@_training_output(int64_t index);
