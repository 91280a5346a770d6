/* The C++ interface of a compiled model, over its C interface: C++17, in this header alone. */
#ifndef @GUARD@_HPP
#define @GUARD@_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "@NAME@.h"

namespace @NAME@ {

/* Elements in memory that another object owns. */
template <class T>
class span {
  public:
    constexpr span(T *data, std::size_t size) : data_(data), size_(size) {}
    /* All elements of an array, a vector or another container that stores them in a row. */
    template <class C, class = decltype(std::declval<C &>().data())>
    constexpr span(C &container) : data_(container.data()), size_(container.size()) {}

    constexpr T *data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr T *begin() const { return data_; }
    constexpr T *end() const { return data_ + size_; }
    constexpr T &operator[](std::size_t index) const { return data_[index]; }

  private:
    T *data_;
    std::size_t size_;
};

/* The element type of a C++ type, with ONNX's number. */
template <class T>
constexpr std::int64_t element_type() {
    if constexpr (std::is_same_v<T, float>) return @NAME@_float32;
    else if constexpr (std::is_same_v<T, double>) return @NAME@_float64;
    else if constexpr (std::is_same_v<T, bool>) return @NAME@_bool;
    else if constexpr (std::is_same_v<T, const char *>) return @NAME@_string;
    else {
        static_assert(std::is_integral_v<T>, "elements are numbers, bool or const char *");
        constexpr bool is_signed = std::is_signed_v<T>;
        if constexpr (sizeof(T) == 1) return is_signed ? @NAME@_int8 : @NAME@_uint8;
        else if constexpr (sizeof(T) == 2) return is_signed ? @NAME@_int16 : @NAME@_uint16;
        else if constexpr (sizeof(T) == 4) return is_signed ? @NAME@_int32 : @NAME@_uint32;
        else return is_signed ? @NAME@_int64 : @NAME@_uint64;
    }
}

/* The error of a run. */
class error : public std::runtime_error {
  public:
    explicit error(std::int64_t code) : std::runtime_error(@NAME@_message(code)), status(code) {}
    const std::int64_t status;
};

/* An input: elements of another object, and their extents. */
template <class T>
@NAME@_tensor input(span<T> elements, std::initializer_list<std::int64_t> shape) {
    @NAME@_tensor tensor = {};
    /* inputs are not written, except by run_in_place */
    tensor.data = const_cast<void *>(static_cast<const void *>(elements.data()));
    tensor.element_type = element_type<std::remove_cv_t<T>>();
    if (shape.size() > @NAME@_max_rank) throw std::invalid_argument("the input has more extents than any of the model");
    std::int64_t count = 1;
    std::size_t axis = 0;
    for (std::int64_t extent : shape) {
        count *= extent;
        tensor.shape[axis++] = extent;
    }
    if (count < 0 || static_cast<std::size_t>(count) != elements.size()) {
        throw std::invalid_argument("the number of elements is not the product of the extents");
    }
    return tensor;
}

template <class C, class T = std::remove_pointer_t<decltype(std::declval<C &>().data())>>
@NAME@_tensor input(C &container, std::initializer_list<std::int64_t> shape) {
    return input(span<T>(container), shape);
}

/* An output, which owns its memory. */
class tensor {
  public:
    tensor() = default;
    tensor(tensor &&other) noexcept : raw_(std::exchange(other.raw_, {})), port_(other.port_) {}
    tensor &operator=(tensor &&other) noexcept {
        std::swap(raw_, other.raw_);
        std::swap(port_, other.port_);
        return *this;
    }
    ~tensor() {
        if (raw_.data != nullptr) @NAME@_free(&raw_);
    }

    /* Its extents. */
    span<const std::int64_t> shape() const { return {raw_.shape, static_cast<std::size_t>(port_->rank)}; }
    /* Its elements, which are of type T. */
    template <class T>
    span<const T> as() const {
        if (raw_.element_type != element_type<T>()) throw std::invalid_argument("the output has another element type");
        std::int64_t count = 1;
        for (std::int64_t extent : shape()) count *= extent;
        return {static_cast<const T *>(raw_.data), static_cast<std::size_t>(count)};
    }
    /* The output as the C interface has it; a sequence, optional or map is only there. */
    const @NAME@_tensor &raw() const { return raw_; }

  private:
    friend class session;
    @NAME@_tensor raw_ = {};
    const @NAME@_port *port_ = nullptr;
};

using inputs = std::array<@NAME@_tensor, @NAME@_input_count>;
using outputs = std::array<tensor, @NAME@_output_count>;
@WEIGHTS@
/* A sequence of runs that reuse their scratch memory. One thread at a time uses a session. */
class session {
  public:
    session() = default;
    session(const session &) = delete;
    session &operator=(const session &) = delete;
    ~session() { @NAME@_close(&raw_); }

    /* Runs the model. */
    outputs run(const inputs &values) {
        std::array<@NAME@_tensor, @NAME@_output_count> raw = {};
        const std::int64_t status = @NAME@_run(&raw_, values.data(), raw.data());
        if (status != 0) throw error(status);
        outputs results;
        std::int64_t number = 0;
        for (std::size_t index = 0; index < results.size(); index++) {
            results[index].raw_ = raw[index];
            results[index].port_ = @NAME@_output(number++);
        }
        return results;
    }

  private:
    @NAME@_session raw_ = {};
};

} // namespace @NAME@

#endif
