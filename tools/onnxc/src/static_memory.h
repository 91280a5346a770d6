/* The memory of the object for this target (@PROCESSOR@), in bytes. Flash: @CODE@ of code, the rest are weights. RAM: variables, which
   keep their values between calls; the caller's @INPUT_BYTES@ of inputs and @OUTPUT_BYTES@ of outputs are not counted. Stack: what a call takes
   at most; memcpy, memset, the compiler's library for floats where the processor lacks them, and interrupts are not counted. The
   object's symbol @NAME@_stack_bytes has the same value, for linker scripts. */
#define @NAME@_flash_bytes @FLASH@
#define @NAME@_ram_bytes @RAM@
@STACK@
