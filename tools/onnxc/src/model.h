/* What the model takes and gives: extents that are at least 0 are fixed; equal negative ones stand for equal extents. */
enum { @NAME@_input_count = @INPUTS@, @NAME@_output_count = @OUTPUTS@, @NAME@_max_rank = @RANK@ };

typedef struct {
    const char *name;
    const char *type;
    int64_t element_bytes;
    int64_t rank;
    int64_t shape[@NAME@_max_rank];
} @NAME@_port;

static const @NAME@_port @NAME@_inputs[] = {
@INPUT_PORTS@
};
static const @NAME@_port @NAME@_outputs[] = {
@OUTPUT_PORTS@
};

/* Elements in row-major order, aligned to their size, and as many extents as the port has. Strings are pointers to texts
   that end in 0. */
typedef struct {
    void *data;
    int64_t shape[@NAME@_max_rank];
} @NAME@_tensor;

/* One line of runs: scratch memory is kept from run to run. Zeroed before the first use. */
typedef struct {
    int64_t status;
    unsigned char *arena;
    int64_t arena_bytes;
    void *host;
    unsigned char *(*output)(void *host, int64_t index, int64_t bytes);
    void *buffers;
    void *spare;
    void *strings;
    void *handles;
    unsigned char *outputs[@NAME@_output_count + 1];
} @NAME@_session;

/* Threads of the runs that this thread starts; 0 means all there are. */
extern void rt_set_threads(int64_t threads);
extern void rt_begin_run(void);
extern void rt_end_run(void);
extern void rt_end_context_run(int64_t session);
extern void rt_release(int64_t session);
extern void rt_fix_strings(int64_t session, const char *const *texts, int64_t count);
extern int64_t rt_string_number(int64_t session, const char *text);
extern int64_t rt_texts(int64_t session, const int64_t *numbers, int64_t count, void *target);
extern int64_t @NAME@_main(int64_t *table);
@DECLARE_INITIALIZE@

/* Why a run ended: 0 is success. */
static inline const char *@NAME@_message(int64_t status) {
    static const char *const messages[] = {
@MESSAGES@
        "",
    };
    if (status == 0) return "";
    if (status == -1) return "the run needs more memory than there is";
    if (status == -2) return "an input does not have the shape that the model takes";
    if (status >= 1 && status < (int64_t)(sizeof messages / sizeof *messages)) return messages[status - 1];
    return "the run ended with an unknown status";
}

/* Memory for an output, aligned to 64 bytes; it starts behind the pointer to the whole allocation. */
static inline unsigned char *@NAME@_provide(void *host, int64_t index, int64_t bytes) {
    @NAME@_session *session = (@NAME@_session *)host;
    unsigned char *whole = (unsigned char *)malloc((size_t)bytes + 64 + sizeof(void *));
    if (!whole) return 0;
    unsigned char *start = (unsigned char *)(((uintptr_t)whole + sizeof(void *) + 63) / 64 * 64);
    memcpy(start - sizeof(void *), &whole, sizeof(void *));
    session->outputs[index] = start;
    return start;
}

/* Gives an output's memory back. */
static inline void @NAME@_free(@NAME@_tensor *output) {
    void *whole;
    if (!output->data) return;
    memcpy(&whole, (unsigned char *)output->data - sizeof(void *), sizeof(void *));
    free(whole);
    output->data = 0;
}

/* Computes what depends on the weights alone. Once in a process, before the first run. */
static inline int64_t @NAME@_initialize(void) {
    @NAME@_session session;
    int64_t status = 0;
    memset(&session, 0, sizeof session);
    @CALL_INITIALIZE@
    rt_release((int64_t)(uintptr_t)&session);
    return status;
}

static inline int @NAME@_fits(const @NAME@_tensor *inputs) {
    int64_t known[@NAME@_input_count * @NAME@_max_rank + 1];
    memset(known, -1, sizeof known);
    for (int64_t i = 0; i < @NAME@_input_count; i++) {
        for (int64_t axis = 0; axis < @NAME@_inputs[i].rank; axis++) {
            int64_t expected = @NAME@_inputs[i].shape[axis], found = inputs[i].shape[axis];
            int64_t *slot = expected < 0 ? &known[-expected - 1] : &expected;
            if (found < 0 || (*slot >= 0 && *slot != found)) return 0;
            *slot = found;
        }
    }
    return 1;
}

#if @HAS_STRINGS@
static inline int64_t @NAME@_count(const @NAME@_port *port, const @NAME@_tensor *tensor) {
    int64_t count = 1;
    for (int64_t axis = 0; axis < port->rank; axis++) count *= tensor->shape[axis];
    return count;
}

/* The strings of an input as numbers of the run's table; 0 when there is no memory. */
static inline int64_t *@NAME@_numbers(int64_t session, const @NAME@_port *port, const @NAME@_tensor *input) {
    int64_t count = @NAME@_count(port, input);
    int64_t *numbers = (int64_t *)malloc((size_t)count * sizeof(int64_t) + 1);
    for (int64_t i = 0; numbers && i < count; i++) {
        numbers[i] = rt_string_number(session, ((const char *const *)input->data)[i]);
    }
    return numbers;
}

/* Puts texts in the place of an output's numbers; 0 when there is no memory. */
static inline int @NAME@_texts(@NAME@_session *session, int64_t index, const @NAME@_port *port, @NAME@_tensor *output) {
    int64_t count = @NAME@_count(port, output), address = (int64_t)(uintptr_t)session;
    @NAME@_tensor numbers = *output;
    output->data = @NAME@_provide(session, index, rt_texts(address, (const int64_t *)numbers.data, count, 0));
    if (output->data) rt_texts(address, (const int64_t *)numbers.data, count, output->data);
    @NAME@_free(&numbers);
    return output->data != 0;
}
#endif

/* Runs the model. The outputs are the caller's, to be given back one by one. */
static inline int64_t @NAME@_run(@NAME@_session *session, const @NAME@_tensor *inputs, @NAME@_tensor *outputs) {
    int64_t table[1 + (@NAME@_input_count + @NAME@_output_count) * (1 + @NAME@_max_rank)];
    int64_t *word = table, *first;
    if (!@NAME@_fits(inputs)) return -2;
    memset(session->outputs, 0, sizeof session->outputs);
    session->host = session;
    session->output = @NAME@_provide;
    *word++ = (int64_t)(uintptr_t)session;
#if @HAS_STRINGS@
    static const char *const strings[] = {
@STRINGS@
        "",
    };
    int64_t *numbers[@NAME@_input_count + 1];
    memset(numbers, 0, sizeof numbers);
    rt_fix_strings((int64_t)(uintptr_t)session, strings, sizeof strings / sizeof *strings - 1);
#endif
    for (int64_t i = 0; i < @NAME@_input_count; i++) {
        const void *data = inputs[i].data;
#if @HAS_STRINGS@
        if (strcmp(@NAME@_inputs[i].type, "string") == 0) {
            data = numbers[i] = @NAME@_numbers((int64_t)(uintptr_t)session, &@NAME@_inputs[i], &inputs[i]);
            if (!data) {
                for (int64_t j = 0; j < i; j++) free(numbers[j]);
                return -1;
            }
        }
#endif
        *word++ = (int64_t)(uintptr_t)data;
        for (int64_t axis = 0; axis < @NAME@_inputs[i].rank; axis++) *word++ = inputs[i].shape[axis];
    }
    first = word;
    for (int64_t i = 0; i < @NAME@_output_count; i++) {
        for (int64_t axis = 0; axis <= @NAME@_outputs[i].rank; axis++) *word++ = 0;
    }
    rt_begin_run();
    int64_t status = @NAME@_main(table);
    rt_end_run();
    word = first;
    for (int64_t i = 0; i < @NAME@_output_count; i++) {
        outputs[i].data = session->outputs[i];
        word++;
        for (int64_t axis = 0; axis < @NAME@_outputs[i].rank; axis++) outputs[i].shape[axis] = *word++;
#if @HAS_STRINGS@
        if (status == 0 && strcmp(@NAME@_outputs[i].type, "string") == 0) {
            if (!@NAME@_texts(session, i, &@NAME@_outputs[i], &outputs[i])) status = -1;
        }
#endif
        if (status != 0) @NAME@_free(&outputs[i]);
    }
#if @HAS_STRINGS@
    for (int64_t i = 0; i < @NAME@_input_count; i++) free(numbers[i]);
#endif
    rt_end_context_run((int64_t)(uintptr_t)session);
    return status;
}

/* Gives scratch memory back. */
static inline void @NAME@_close(@NAME@_session *session) {
    rt_release((int64_t)(uintptr_t)session);
}
