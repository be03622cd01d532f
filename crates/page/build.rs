//! Makes cargo notice files that the page's build adds or removes.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

/// Output folder of the page's build.
const BUILT: &str = "../../web/desktop/dist";

fn main() {
    // A missing folder cannot be watched, and its real path cannot be resolved. If it cannot be
    // created, the program is built without a page.
    let _ = std::fs::create_dir_all(BUILT);
    if cfg!(debug_assertions) {
        // The files are read at run time.
        println!("cargo::rerun-if-changed=build.rs");
    } else {
        println!("cargo::rerun-if-changed={BUILT}");
    }
}
