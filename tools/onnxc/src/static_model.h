/* A compiled model without a runtime: memory is static, nothing is taken from a heap, no thread is started, and nothing
   ends the process. One call at a time. With --fixed-fp results are the same bit for bit on every processor.

   What it takes and gives, elements in row-major order, aligned to their size:
@PORTS@ */
enum { @NAME@_input_count = @INPUTS@, @NAME@_output_count = @OUTPUTS@ };

@MEMORY@/* Computes what depends on the weights alone, and detects the processor if the code has versions for several; once, before the
   first run. 0 is success. */
int64_t @NAME@_initialize(const void *const *none, void *const *nothing);

@RUN@
