/* A plugin of QEMU that appends the number of instructions that a program executed to the file that INSTRUCTIONS names. The
   declarations are those of QEMU's plugin interface, version 1, which Debian has no header for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t plugin;
struct qemu_plugin_tb;
enum { ADD };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin, void (*)(plugin, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *, uint64_t);
void qemu_plugin_register_atexit_cb(plugin, void (*)(plugin, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

int qemu_plugin_version = 1;
static uint64_t count;

static void translate(plugin id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD, &count, qemu_plugin_tb_n_insns(block));
}

static void finish(plugin id, void *unused) {
    (void)id, (void)unused;
    const char *path = getenv("INSTRUCTIONS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "%" PRIu64 "\n", count);
    fclose(file);
}

int qemu_plugin_install(plugin id, const void *information, int argc, char **argv) {
    (void)information, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
