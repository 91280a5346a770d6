/* Reading of inputs from .npy, .npz and .pb files, and writing of .npy files. */

/* Bytes of a file, or a part of them. */
typedef struct {
    const unsigned char *bytes;
    size_t size;
} bytes_t;

/* A little-endian number of `width` bytes at an offset; 0 beyond the end. */
static uint64_t number_at(bytes_t file, size_t offset, size_t width) {
    uint64_t number = 0;
    if (offset > file.size || width > file.size - offset) return 0;
    for (size_t i = width; i > 0; i--) number = number << 8 | file.bytes[offset + i - 1];
    return number;
}

static int part_of(bytes_t file, size_t offset, size_t size, bytes_t *part) {
    if (offset > file.size || size > file.size - offset) return 0;
    part->bytes = file.bytes + offset;
    part->size = size;
    return 1;
}

static int read_file(const char *path, bytes_t *file) {
    FILE *stream = fopen(path, "rb");
    if (!stream) return fail(path, strerror(errno));
    long size = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    unsigned char *bytes = size < 0 ? 0 : (unsigned char *)malloc((size_t)size + 1);
    int is_read = bytes && fseek(stream, 0, SEEK_SET) == 0 && fread(bytes, 1, (size_t)size, stream) == (size_t)size;
    fclose(stream);
    if (!is_read) return fail(path, "cannot be read");
    file->bytes = bytes;
    file->size = (size_t)size;
    return 0;
}

/* The bytes of a tensor, or -1 if no memory holds as many, with extents of 0 as 1, since loops run over the others, too. */
static int64_t size_of(const model_port *port, const model_tensor *tensor) {
    int64_t count = 1, most = INT64_MAX / (port->element_bytes > 1 ? port->element_bytes : 1), is_empty = 0;
    for (int64_t axis = 0; axis < port->rank; axis++) {
        int64_t extent = tensor->shape[axis];
        if (extent < 0 || extent > most / count) return -1;
        if (extent == 0) is_empty = 1;
        else count *= extent;
    }
    return is_empty ? 0 : count * port->element_bytes;
}

/* Copies a tensor's elements, whose shape is known. */
static int keep(const char *path, const model_port *port, model_tensor *tensor, bytes_t elements) {
    int64_t bytes = size_of(port, tensor);
    if (bytes < 0) return fail(path, "has a shape that no memory holds");
    size_t size = (size_t)bytes;
    if (elements.size < size) return fail(path, "ends too early");
    tensor->data = malloc(size ? size : 1);
    if (!tensor->data) return fail(path, "does not fit in memory");
    memcpy(tensor->data, elements.bytes, size);
    return 0;
}

enum { DAMAGED = -2 };

/* The extents of a header's shape; their number, -1 if it exceeds the model's rank, or DAMAGED. */
static int64_t read_shape(const char *header, const model_port *port, model_tensor *tensor) {
    const char *next = strchr(header, '(');
    int64_t rank = 0;
    if (!next) return DAMAGED;
    for (next++; *next && strchr("0123456789, ", *next);) {
        char *end;
        int64_t extent = strtoll(next, &end, 10);
        if (end == next) {
            next++;
            continue;
        }
        if (rank >= port->rank) return -1;
        tensor->shape[rank++] = extent;
        next = end;
    }
    return *next == ')' ? rank : DAMAGED;
}

static int read_npy(const char *path, const model_port *port, model_tensor *tensor, bytes_t file) {
    size_t start = number_at(file, 6, 1) >= 2 ? 12 : 10, length = (size_t)number_at(file, 8, start - 8);
    bytes_t text, elements;
    if (!part_of(file, start, length, &text)) return fail(path, "ends too early");
    char *header = (char *)calloc(length + 1, 1);
    if (!header) return fail(path, "does not fit in memory");
    memcpy(header, text.bytes, length);
    char *type = strstr(header, "'descr':"), *shape = strstr(header, "'shape':");
    int is_in_order = type && shape && strstr(header, "'fortran_order': False");
    char *type_end = type ? strchr(type, ',') : 0;
    if (type_end) *type_end = 0;
    int is_swapped = type && strstr(type, "'>"), fits = type && strstr(type, descriptor(port->type));
    int64_t rank = shape ? read_shape(shape, port, tensor) : DAMAGED;
    free(header);
    if (rank == DAMAGED) return fail(path, "has a damaged header");
    if (!is_in_order) return fail(path, "is not in C order");
    if (is_swapped) return fail(path, "has elements in big-endian order");
    if (!fits || rank != port->rank) return fail(path, port->message);
    part_of(file, start + length, file.size - start - length, &elements);
    return keep(path, port, tensor, elements);
}

/* The next field of a message of protobuf: its number, or 0 at the end; a varint is `value`, anything else `content`. */
static uint64_t next_field(bytes_t message, size_t *at, uint64_t *value, bytes_t *content) {
    uint64_t head[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        unsigned shift = 0;
        do {
            if (*at >= message.size || shift > 63) return 0;
            head[i] |= (uint64_t)(message.bytes[*at] & 0x7f) << shift;
            shift += 7;
        } while (message.bytes[(*at)++] & 0x80);
        if (i == 0 && ((head[0] & 7) == 1 || (head[0] & 7) == 5)) {
            head[1] = (head[0] & 7) == 1 ? 8 : 4;
            break;
        }
    }
    *value = head[1];
    content->size = 0;
    if ((head[0] & 7) != 0) {
        if (!part_of(message, *at, (size_t)head[1], content)) return 0;
        *at += content->size;
    }
    return head[0] >> 3;
}

/* A `TensorProto` whose elements are raw, or floats, doubles or packed in the widths of these. */
static int read_pb(const char *path, const model_port *port, model_tensor *tensor, bytes_t file) {
    enum { DIMS = 1, DATA_TYPE = 2, FLOAT_DATA = 4, RAW_DATA = 9, DOUBLE_DATA = 10 };
    bytes_t elements = {0, 0}, content;
    uint64_t value, field, type = 0;
    int64_t rank = 0;
    for (size_t at = 0; (field = next_field(file, &at, &value, &content)) != 0;) {
        if (field == DIMS) {
            bytes_t one = content;
            for (size_t inner = 0; content.size == 0 || inner < one.size;) {
                if (content.size != 0) {
                    unsigned shift = 0;
                    for (value = 0; inner < one.size; shift += 7) {
                        value |= (uint64_t)(one.bytes[inner] & 0x7f) << shift;
                        if (!(one.bytes[inner++] & 0x80)) break;
                    }
                }
                if (rank >= port->rank) return fail(path, port->message);
                tensor->shape[rank++] = (int64_t)value;
                if (content.size == 0) break;
            }
        } else if (field == DATA_TYPE) type = value;
        else if (field == FLOAT_DATA || field == RAW_DATA || field == DOUBLE_DATA) elements = content;
    }
    if (rank != port->rank || type != (uint64_t)port->element_type) return fail(path, port->message);
    if (!elements.bytes && size_of(port, tensor) != 0) return fail(path, "has its elements in fields that are not read");
    return keep(path, port, tensor, elements);
}

static int is_zip(bytes_t file) { return number_at(file, 0, 4) == 0x04034b50; }

static int read_array(const char *path, const model_port *port, model_tensor *tensor, bytes_t file) {
    if (file.size >= 10 && memcmp(file.bytes, "\x93NUMPY", 6) == 0) return read_npy(path, port, tensor, file);
    const char *ending = strrchr(path, '.');
    if (ending && strcmp(ending, ".pb") == 0) return read_pb(path, port, tensor, file);
    return fail(path, "is neither a .npy nor a .npz nor a .pb file");
}

/* The position of an input among the model's, or -1. */
static int64_t input_of(const char *name, size_t length) {
    for (int64_t i = 0; i < model_input_count; i++) {
        const char *known = model_input(i)->name;
        if (strlen(known) == length && memcmp(known, name, length) == 0) return i;
    }
    return -1;
}

/* The arrays in an archive that are named as inputs. They are not compressed, as `numpy.savez` writes them. */
static int read_npz(const char *path, model_tensor *inputs, bytes_t file) {
    enum { END = 22, ENTRY = 46, LOCAL = 30, NPY = 4 };
    size_t end = file.size < END ? 0 : file.size - END;
    while (end > 0 && number_at(file, end, 4) != 0x06054b50) end--;
    size_t at = (size_t)number_at(file, end + 16, 4);
    for (; number_at(file, at, 4) == 0x02014b50; at += ENTRY) {
        size_t length = (size_t)number_at(file, at + 28, 2), local = (size_t)number_at(file, at + 42, 4);
        size_t start = local + LOCAL + (size_t)number_at(file, local + 26, 2) + (size_t)number_at(file, local + 28, 2);
        bytes_t name, array;
        if (!part_of(file, at + ENTRY, length, &name) || length < NPY) return fail(path, "is damaged");
        int64_t input = input_of((const char *)name.bytes, length - NPY);
        if (input >= 0) {
            if (number_at(file, at + 10, 2) != 0) return fail(path, "is compressed; numpy.savez writes what is read");
            if (!part_of(file, start, (size_t)number_at(file, at + 20, 4), &array)) return fail(path, "is damaged");
            if (read_array(path, model_input(input), &inputs[input], array)) return 1;
        }
        at += length + (size_t)number_at(file, at + 30, 2) + (size_t)number_at(file, at + 32, 2);
    }
    return 0;
}

/* Reads `FILE` for the next input, `NAME=FILE`, or an archive with inputs by name. */
static int read_input(const char *argument, model_tensor *inputs, int64_t *next) {
    const char *equals = strchr(argument, '='), *path = argument;
    int64_t input = equals ? input_of(argument, (size_t)(equals - argument)) : -1;
    if (input >= 0) path = equals + 1;
    bytes_t file;
    if (read_file(path, &file)) return 1;
    int failed;
    if (is_zip(file)) failed = read_npz(path, inputs, file);
    else {
        if (input < 0) input = (*next)++;
        failed = input < model_input_count ? read_array(path, model_input(input), &inputs[input], file)
                                           : fail(path, "the model takes fewer inputs");
    }
    free((void *)(uintptr_t)file.bytes);
    return failed;
}
