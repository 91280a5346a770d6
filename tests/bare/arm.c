/* Start-up of QEMU's mps2-an386, a Cortex-M4, which prints and ends by semihosting. */
#include <stddef.h>
#include <stdint.h>

extern int main(void);
extern uint32_t stack_top[];

static uintptr_t host(uintptr_t operation, uintptr_t argument) {
    register uintptr_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

extern void *memset(void *to, int value, size_t count);

/* ARM's names of memset. */
void __aeabi_memclr(void *to, size_t count) { memset(to, 0, count); }
void __aeabi_memclr4(void *to, size_t count) { memset(to, 0, count); }
void __aeabi_memclr8(void *to, size_t count) { memset(to, 0, count); }

void print(const char *text) { host(0x04, (uintptr_t)text); }

void start(void) {
    /* the floating-point unit is off at first */
    *(volatile uint32_t *)0xe000ed88 |= 0xf << 20;
    __asm__ volatile("dsb\nisb");
    host(0x18, main() == 0 ? 0x20026 : 0x20023);
    for (;;) {}
}

static void fault(void) {
    print("fault\n");
    host(0x18, 0x20023);
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    stack_top, (void *)start, (void *)fault, (void *)fault, (void *)fault, (void *)fault, (void *)fault,
};
