
/* Loads the file of weights, before the first run; later calls do nothing. */
inline void load_weights(const char *path) {
    const std::int64_t status = @NAME@_load_weights(path);
    if (status != 0) throw error(status);
}
