
/* Loads the file of weights, before the first run; later calls do nothing. 0 is success. */
int64_t @NAME@_load_weights(const char *path);
