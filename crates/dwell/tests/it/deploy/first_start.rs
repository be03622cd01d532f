//! A machine without Rust: the scripts install it by rustup before they build.

use std::{os::unix::fs::PermissionsExt, path::Path, process::Command};

use tempfile::TempDir;

/// What `curl` downloads here: a rustup that notes its arguments and installs a Rust that knows its
/// version.
const RUSTUP: &str = r#"#!/bin/sh
printf '%s\n' "$*" >"$HOME/arguments"
mkdir -p "$HOME/.cargo/bin"
printf '#!/bin/sh\necho "rustc $FAKE_VERSION (x)"\n' >"$HOME/.cargo/bin/rustc"
cp "$HOME/.cargo/bin/rustc" "$HOME/.cargo/bin/cargo"
chmod +x "$HOME/.cargo/bin/rustc" "$HOME/.cargo/bin/cargo"
printf 'export PATH="$HOME/.cargo/bin:$PATH"\n' >"$HOME/.cargo/env"
"#;

/// Runs `need_rust` in an empty home; what it says, and whether it succeeds.
fn need_rust(home: &Path, version: &str, downloads: bool) -> (String, bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bin = home.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(home.join("rustup.sh"), RUSTUP).unwrap();
    let fetch =
        if downloads { "while [ \"$1\" != -o ]; do shift; done\ncp \"$HOME/rustup.sh\" \"$2\"\n" } else { "exit 6\n" };
    let curl = bin.join("curl");
    std::fs::write(&curl, format!("#!/bin/sh\n{fetch}")).unwrap();
    std::fs::set_permissions(&curl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = format!(". '{0}/.ci/prerequisites.sh'; need_rust '{0}'; cargo --version", root.display());
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("HOME", home)
        .env("FAKE_VERSION", version)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (said, output.status.success())
}

#[test]
fn rust_is_installed_where_there_is_none() {
    if Path::new("/usr/bin/cargo").exists() {
        super::skipped("this machine has a Rust that every shell finds");
        return;
    }
    let home = TempDir::new().unwrap();
    let (said, is_ok) = need_rust(home.path(), "99.0.0", true);
    assert!(is_ok && said.contains("no Rust here, installing") && said.contains("rustc 99.0.0"), "{said}");
    let arguments = std::fs::read_to_string(home.path().join("arguments")).unwrap();
    for part in ["-y", "--profile minimal", "--component clippy", "--default-toolchain stable"] {
        assert!(arguments.contains(part), "{arguments}");
    }
    // The second time it is there, though this shell has not found it yet.
    let (said, is_ok) = need_rust(home.path(), "99.0.0", false);
    assert!(is_ok && !said.contains("no Rust here"), "{said}");
    let (said, is_ok) = need_rust(home.path(), "1.0.0", false);
    assert!(!is_ok && said.contains("Rust 1.0.0 is too old"), "{said}");

    let home = TempDir::new().unwrap();
    let (said, is_ok) = need_rust(home.path(), "99.0.0", false);
    assert!(!is_ok && said.contains("cannot be installed: install it from"), "{said}");
}
