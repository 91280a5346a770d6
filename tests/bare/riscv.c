/* Start-up of QEMU's virt with 32-bit RISC-V: a serial port, and a device that ends the emulation. */
#include <stdint.h>

extern int main(void);

void print(const char *text) {
    for (; *text; text++) *(volatile uint8_t *)0x10000000 = (uint8_t)*text;
}

static void end(int status) {
    *(volatile uint32_t *)0x100000 = status == 0 ? 0x5555 : 0x13333;
    for (;;) {}
}

__attribute__((used)) static void enter(void) { end(main()); }

__attribute__((used)) static void fault(void) {
    print("fault\n");
    end(1);
}

__attribute__((naked, section(".vectors"), used)) void start(void) {
    __asm__ volatile("la sp, stack_top\nla t0, fault\ncsrw mtvec, t0\nj enter");
}
