//! Lets cargo notice files that the page's own build adds or removes.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

/// Where the page is built to.
const BUILT: &str = "../../web/desktop/dist";

fn main() {
    // A folder that is not there cannot be watched, and where it really is cannot be known. One that cannot be made is no reason
    // not to build: then there is no page.
    let _ = std::fs::create_dir_all(BUILT);
    if cfg!(debug_assertions) {
        // The files are read when they are asked for.
        println!("cargo::rerun-if-changed=build.rs");
    } else {
        println!("cargo::rerun-if-changed={BUILT}");
    }
}
