
/* Training. A session has variables, which begin as the model's initializers and which its runs read. */
enum { @NAME@_training_input_count = @INPUTS@, @NAME@_training_output_count = @OUTPUTS@ };

/* Gives the variables their first values; 0 is success. */
int64_t @NAME@_training_initialize(@NAME@_session *session);

/* Takes a step: @INPUTS@ inputs and @OUTPUTS@ outputs, in the order below, which are the caller's as those of a run. The
   variables change all at once, and only when the step succeeds: 0. */
int64_t @NAME@_training_step(@NAME@_session *session, const @NAME@_tensor *inputs, @NAME@_tensor *outputs);

/* Why training ended: what is wrong, as text. */
const char *@NAME@_training_message(int64_t status);

/* What a step takes and gives; NULL behind the last one.
@PORTS@ */
const @NAME@_port *@NAME@_training_input(int64_t index);
const @NAME@_port *@NAME@_training_output(int64_t index);
