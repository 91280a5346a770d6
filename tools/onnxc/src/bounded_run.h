/* The dimensions that a run is passed: their indices and greatest values. */
@DIMENSIONS@

/* The most bytes of each output; shapes of outputs with dimensions have this many extents together. */
@OUTPUT_MEMORY@
enum { @NAME@_output_extent_count = @OUTPUT_EXTENTS@ };

/* Runs the model on the addresses of its inputs, and writes to those of its outputs, in the order above. dimensions are the extents of
   this run; output_extents becomes those of all outputs, one after the other. 0 is success, @NO_ADDRESS@ an address that is missing,
   @NOT_INITIALIZED@ a run of a model that has not been initialized, @EXTENT@ a dimension that is negative or too great. Otherwise what is wrong
   has a number:
@MESSAGES@ */
int64_t @NAME@_run(const void *const *inputs, void *const *outputs, const int64_t *dimensions, int64_t *output_extents);
