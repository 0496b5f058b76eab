//! Writes what a browser loads the module with: `nimrule-bindgen MODULE FOLDER`.

use std::{env, error::Error};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let (Some(module), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: nimrule-bindgen MODULE FOLDER".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&module)
        .web(true)?
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen.generate(&folder)?;
    Ok(())
}
