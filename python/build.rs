//! Says how the module is linked.

use std::{env, path::Path, process::Command};

/// Whether the linker is the one that comes with the compiler (LLD): others refuse its options.
fn bundled_linker() -> bool {
    let target = "x86_64-unknown-linux-gnu"; // the only one for which it is the default
    let sysroot = env::var_os("RUSTC").and_then(|rustc| {
        let output = Command::new(rustc)
            .args(["--print", "sysroot"])
            .output()
            .ok()?;
        String::from_utf8(output.stdout).ok()
    });
    env::var("TARGET").is_ok_and(|it| it == target)
        && sysroot.is_some_and(|root| {
            let linkers = format!("lib/rustlib/{target}/bin/gcc-ld");
            Path::new(root.trim()).join(linkers).join("ld.lld").exists()
        })
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if bundled_linker() {
        // Functions of the same code, of which generic code has many, are kept once.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--icf=all");
        // Functions of similar code lie beside each other, where the compression of the wheel
        // sees both: the wheel is a fourteenth smaller.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--bp-compression-sort=both");
    }
}
