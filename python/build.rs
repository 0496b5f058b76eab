//! Says how the module is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Functions of the same code, of which generic code has many, are kept once, and what is
    // moved when the module is loaded is written shortly: the wheel is a sixth smaller.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--icf=all");
    }
}
