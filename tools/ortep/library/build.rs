//! Linker options of the shared library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let options = [
        // the functions of the runtime are not exported
        "--exclude-libs,ALL",
        // threads of the runtime outlive a call of dlclose
        "-z,nodelete",
    ];
    for option in options {
        println!("cargo::rustc-cdylib-link-arg=-Wl,{option}");
    }
}
