//! Lists the shipped games, which are part of the crate, so that it is built again when a game
//! is added.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=../../games");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../games");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // The folder `.nimrule` keeps proofs.
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let listed = files.iter().map(|path| {
        let name = path.file_name().unwrap_or_default();
        format!("({name:?}, include_bytes!({path:?})),\n")
    });
    let list = format!("&[\n{}]\n", listed.collect::<String>());
    fs::write(Path::new(&env::var("OUT_DIR")?).join("games.rs"), list)?;
    Ok(())
}
