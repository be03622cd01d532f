//! A wall clock that steps, for one program under test.
//!
//! The program has no setting for this. Its calls of the C library for the time are answered by a
//! small library (`shift.c`) that the test compiles and preloads, so that the program runs
//! unchanged. Only the wall clock is shifted: waits go by the monotonic clock, as on a machine
//! whose clock is set.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicI64, Ordering},
};

use crate::Program;

/// The variable that names the file; only the preloaded library reads it.
const VARIABLE: &str = "TESTKIT_CLOCK_SHIFT";

/// The shift of a program's clock.
pub struct ClockShift {
    file: PathBuf,
    library: PathBuf,
    now_ms: AtomicI64,
}

impl ClockShift {
    /// Prepares it in a folder. `None` where libraries cannot be preloaded like this.
    pub fn new(folder: &Path) -> Option<Self> {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            return None;
        }
        let (source, library) = (folder.join("shift.c"), folder.join("shift.so"));
        std::fs::write(&source, include_str!("shift.c")).expect("the folder can be written");
        let compiler = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).status();
        assert!(compiler.expect("`cc` links Rust programs, too").success(), "the library is compiled");
        let shift = Self { file: folder.join("clock-shift"), library, now_ms: AtomicI64::new(0) };
        std::fs::write(&shift.file, 0_i64.to_ne_bytes()).expect("the folder can be written");
        Some(shift)
    }

    /// The program with this clock.
    pub fn give_to(&self, program: Program) -> Program {
        let text = |path: &Path| path.to_str().expect("a path in Unicode").to_owned();
        program.with("LD_PRELOAD", &text(&self.library)).with(VARIABLE, &text(&self.file))
    }

    /// Steps the clock: it is so many milliseconds ahead from now on.
    pub fn set(&self, ms: i64) {
        use std::io::Write;
        // Written in place, since the program has the file mapped.
        let file = std::fs::OpenOptions::new().write(true).open(&self.file);
        file.expect("the file is there").write_all(&ms.to_ne_bytes()).expect("the file can be written");
        self.now_ms.store(ms, Ordering::SeqCst);
    }

    /// How far it is ahead.
    pub fn get(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }
}
