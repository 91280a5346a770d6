/* A compiled model. Functions may be called from any thread; a session runs one model run at a time. */
enum { @NAME@_input_count = @INPUTS@, @NAME@_output_count = @OUTPUTS@, @NAME@_max_rank = @RANK@ };

/* Types of elements, with ONNX's own numbers. */
enum {
@TYPES@
};

/* An input or output. Extents that are at least 0 are fixed; equal negative ones stand for equal extents, of inputs and
   outputs alike. An input with initial elements is optional: a run uses them if its data are NULL. */
typedef struct {
    const char *name;
    const char *type;
    int64_t element_bytes;
    int64_t rank;
    const int64_t *shape;
    const char *message;
    const void *initial;
    const int64_t *initial_shape;
    int64_t element_type;
} @NAME@_port;

/* Elements in row-major order, aligned to their size, and the extents of the port's rank. Strings are pointers to texts
   that end in 0. The element type of an input is the port's, or 0, which is not checked. The element type of an
   output that is not a tensor is 0, and its data are a @NAME@_value. */
typedef struct {
    void *data;
    int64_t shape[@NAME@_max_rank];
    int64_t element_type;
} @NAME@_tensor;

/* The kinds of values. */
enum { @NAME@_is_tensor = 0, @NAME@_is_sequence = 1, @NAME@_is_optional = 2, @NAME@_is_map = 3 };

/* A sequence, an optional or a map, or a tensor in one of these. `values` are the elements of a sequence, one after the other;
   the value of an optional, if `count` is 1 and not 0; the keys and the values of a map, which are two tensors of equal
   extents. Only a tensor has data, as an output has, and a shape. All of it is one output's memory: it is valid until
   the output is freed. */
typedef struct @NAME@_value {
    int64_t kind;
    int64_t count;
    const struct @NAME@_value *values;
    const void *data;
    int64_t element_type;
    int64_t rank;
    const int64_t *shape;
} @NAME@_value;

/* A sequence of runs that reuse their scratch memory. Zeroed before the first use. A run in a session that
   another thread uses fails. */
typedef struct {
    void *state;
} @NAME@_session;

/* Computes the values that depend on the weights alone, and detects the processor; 0 is success. The first run does it
   otherwise; later calls do nothing. */
int64_t @NAME@_initialize(void);

/* Runs the model: @INPUTS@ inputs and @OUTPUTS@ outputs, in the order below. 0 is success; then the caller owns the
   outputs and frees them one by one. */
int64_t @NAME@_run(@NAME@_session *session, const @NAME@_tensor *inputs, @NAME@_tensor *outputs);

/* The same, but an output that only changes some elements of an input, such as a cache of keys, may reuse its memory if nothing
   else reads the input: the caller owns the inputs, which do not overlap. Such an output has the input's address, and its memory is
   not to be freed. The contents of the inputs are unspecified after a run that fails. */
int64_t @NAME@_run_in_place(@NAME@_session *session, const @NAME@_tensor *inputs, @NAME@_tensor *outputs);

/* Frees an output's memory. */
void @NAME@_free(@NAME@_tensor *output);

/* Frees a session's memory. */
void @NAME@_close(@NAME@_session *session);

/* The error message of a run's status. */
const char *@NAME@_message(int64_t status);

/* The inputs and outputs of the model; NULL after the last one.
@PORTS@ */
const @NAME@_port *@NAME@_input(int64_t index);
const @NAME@_port *@NAME@_output(int64_t index);

/* Sets the number of threads of the runs that this thread starts; 0 means all processors. */
void @NAME@_set_threads(int64_t threads);
