//! The program as it is handed out: static, with the page inside, compiled with the profile `dist`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::arch::Arch;
use super::release::Release;

/// What a program may weigh.
const PROGRAM_BYTES_MAX: u64 = 50_000_000;
const PAGE: &str = "web/desktop/dist/index.html";

/// A way to compile a static program.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Toolchain {
    target: String,
    /// The subcommand of cargo: `build`, or `zigbuild`, which brings a C compiler and a C library.
    subcommand: &'static str,
    /// The linker, where cargo's own choice is for another processor.
    linker: Option<String>,
}

pub fn program(release: &Release) -> Result<PathBuf> {
    ensure!(release.root.join(PAGE).is_file(), "the page is not built: run `npm ci && npm run build` in web/");
    let Some(toolchain) = choose(release.arch, &InstalledTools) else {
        let arch = release.arch.name();
        bail!(
            "there is no Rust standard library for static programs on {arch}: run `rustup target add \
             {arch}-unknown-linux-musl` and `pip install cargo-zigbuild`, or see docs/how-to/release.md"
        );
    };
    let Toolchain { target, subcommand, linker } = toolchain;
    println!("compiling for {target} (cargo {subcommand}); this takes a while");
    let mut cargo = Command::new("cargo");
    cargo.args([subcommand, "--locked", "--profile", "dist", "--package", "dwell", "--target", &target]);
    cargo.env("RUSTFLAGS", "-C target-feature=+crt-static").env_remove("RUSTC_WORKSPACE_WRAPPER");
    if let Some(linker) = linker {
        cargo.env(format!("CARGO_TARGET_{}_LINKER", target.to_uppercase().replace('-', "_")), linker);
    }
    let status = cargo.current_dir(&release.root).status().context("failed to start cargo")?;
    ensure!(status.success(), "cargo failed");
    let built = release.target.join(&target).join("dist/dwell");
    check(release, &built)?;
    Ok(built)
}

fn check(release: &Release, built: &Path) -> Result<()> {
    let program = release.program(built)?;
    ensure!(program.is_static, "{} needs shared libraries", built.display());
    let size = fs::metadata(built).with_context(|| format!("failed to read {}", built.display()))?.len();
    ensure!(size <= PROGRAM_BYTES_MAX, "{} has {size} bytes, at most {PROGRAM_BYTES_MAX}", built.display());
    Ok(())
}

/// What a machine has.
trait Tools {
    /// Whether Rust's standard library is there for a target.
    fn has_std(&self, target: &str) -> bool;
    fn has_program(&self, name: &str) -> bool;
}

struct InstalledTools;

impl Tools for InstalledTools {
    fn has_std(&self, target: &str) -> bool {
        let output = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
        let folder = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
        let files = folder.and_then(|folder| fs::read_dir(folder.trim()).ok());
        files.is_some_and(|mut files| {
            files.any(|file| file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
        })
    }

    fn has_program(&self, name: &str) -> bool {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    }
}

/// musl first: it is made for static programs. A static glibc works as well, except that names in
/// the network are resolved by files and DNS alone where the machine has another glibc.
fn choose(arch: Arch, tools: &impl Tools) -> Option<Toolchain> {
    let is_foreign = Arch::of_this_machine() != Some(arch);
    let musl = format!("{}-unknown-linux-musl", arch.name());
    if tools.has_std(&musl) {
        if tools.has_program("cargo-zigbuild") {
            return Some(Toolchain { target: musl, subcommand: "zigbuild", linker: None });
        }
        if !is_foreign && tools.has_program("musl-gcc") {
            return Some(Toolchain { target: musl, subcommand: "build", linker: Some("musl-gcc".to_owned()) });
        }
    }
    let gnu = format!("{}-unknown-linux-gnu", arch.name());
    let compiler = format!("{}-linux-gnu-gcc", arch.name());
    let is_ready = tools.has_std(&gnu) && (!is_foreign || tools.has_program(&compiler));
    is_ready.then(|| Toolchain { target: gnu, subcommand: "build", linker: is_foreign.then_some(compiler) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with these standard libraries and programs.
    struct Machine(&'static [&'static str]);

    impl Tools for Machine {
        fn has_std(&self, target: &str) -> bool {
            self.0.contains(&target)
        }

        fn has_program(&self, name: &str) -> bool {
            self.0.contains(&name)
        }
    }

    fn chosen(arch: Arch, machine: &'static [&'static str]) -> Option<(String, &'static str, bool)> {
        let toolchain = choose(arch, &Machine(machine))?;
        Some((toolchain.target, toolchain.subcommand, toolchain.linker.is_some()))
    }

    #[test]
    fn the_best_that_the_machine_has_is_chosen() {
        let here = Arch::of_this_machine().unwrap();
        let other = if here == Arch::X86_64 { Arch::Aarch64 } else { Arch::X86_64 };
        let (musl, gnu) = (format!("{}-unknown-linux-musl", here.name()), format!("{}-unknown-linux-gnu", here.name()));
        let both: &[&str] = &["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "cargo-zigbuild"];
        assert_eq!(chosen(here, both).unwrap(), (musl, "zigbuild", false));
        assert_eq!(chosen(other, both).unwrap().1, "zigbuild");
        let std_only: &[&str] = &["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
        assert_eq!(chosen(here, std_only).unwrap(), (gnu, "build", false));
        assert_eq!(chosen(other, std_only), None, "there is no linker for the other processor");
        assert_eq!(chosen(here, &["cargo-zigbuild", "musl-gcc"]), None);
    }
}
