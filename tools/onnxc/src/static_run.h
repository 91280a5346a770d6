/* Runs the model on the addresses of its inputs, and writes to those of its outputs, in the order above. 0 is success, @NO_ADDRESS@
   an address that is missing, @NOT_INITIALIZED@ a run of a model that has not been initialized. Otherwise what is wrong has a number:
@MESSAGES@ */
int64_t @NAME@_run(const void *const *inputs, void *const *outputs);
