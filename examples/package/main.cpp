/* Runs the model `net`, which adds two inputs of shape [N, 3], through its C++ interface. */
#include <cstdio>
#include <vector>

#include "net.hpp"

int main() {
    const std::vector<float> x = {1, 2, 3}, y = {10, 20, 30};
    net::session session;
    try {
        const net::outputs outputs = session.run({net::input(x, {1, 3}), net::input(y, {1, 3})});
        for (float element : outputs[0].as<float>()) std::printf("%g ", static_cast<double>(element));
        std::printf("[%d, %d]\n", static_cast<int>(outputs[0].shape()[0]), static_cast<int>(outputs[0].shape()[1]));
        session.run({net::input(x, {3, 1}), net::input(y, {1, 3})});
    } catch (const net::error &error) {
        std::printf("%s\n", error.what());
    }
}
