//! One binary for every target: `DWELL_FUZZ_TARGET` names it.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<&'static fuzz::Target> = LazyLock::new(|| {
    let name = std::env::var("DWELL_FUZZ_TARGET").unwrap_or_default();
    fuzz::target(&name).unwrap_or_else(|| {
        let known: Vec<_> = fuzz::TARGETS.iter().map(|target| target.name).collect();
        panic!("DWELL_FUZZ_TARGET is {name:?}, not one of {known:?}")
    })
});

fuzz_target!(|input: &[u8]| fuzz::take(&TARGET, input));
