//! The options of `cargo xtask dist`.

use std::path::PathBuf;

use super::arch::Arch;

/// What to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Artifact {
    /// The program itself, compiled with the profile `dist`.
    Binary,
    /// The program with its licences, for `install.sh`.
    Archive,
    Deb,
    Image,
    Wheel,
    Npm,
    Sbom,
    Licences,
    Notes,
    /// The checksums of everything in the folder; the last one.
    Sums,
}

impl Artifact {
    /// Everything, in an order in which each finds what it needs.
    pub const EACH: [Self; 10] = [
        Self::Binary,
        Self::Archive,
        Self::Deb,
        Self::Image,
        Self::Wheel,
        Self::Npm,
        Self::Sbom,
        Self::Licences,
        Self::Notes,
        Self::Sums,
    ];

    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "binary" => Self::Binary,
            "archive" => Self::Archive,
            "deb" => Self::Deb,
            "image" => Self::Image,
            "wheel" => Self::Wheel,
            "npm" => Self::Npm,
            "sbom" => Self::Sbom,
            "licences" => Self::Licences,
            "notes" => Self::Notes,
            "sums" => Self::Sums,
            _ => return None,
        })
    }

    /// Names with commas in between, or `all`.
    fn parse_list(names: &str) -> Option<Vec<Self>> {
        match names {
            "all" => Some(Self::EACH.to_vec()),
            names => names.split(',').map(Self::parse).collect(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct DistOptions {
    /// In this order.
    pub artifacts: Vec<Artifact>,
    /// The program; without one, `binary` builds it.
    pub binary: Option<PathBuf>,
    pub arch: Arch,
    /// Another version than the workspace's, to try upgrades.
    pub version: Option<String>,
    /// The folder for artifacts.
    pub to: Option<PathBuf>,
    /// Without compression, which is quicker where nothing is sent anywhere.
    pub is_stored: bool,
    /// The certificate authorities that the image trusts.
    pub certificates: PathBuf,
}

impl DistOptions {
    /// `None` if they cannot be understood.
    pub fn parse(args: &[&str]) -> Option<Self> {
        let (names, mut flags) = args.split_first()?;
        let mut options = Self {
            artifacts: Artifact::parse_list(names)?,
            binary: None,
            arch: Arch::of_this_machine()?,
            version: None,
            to: None,
            is_stored: false,
            certificates: PathBuf::from("/etc/ssl/certs/ca-certificates.crt"),
        };
        while let Some((flag, rest)) = flags.split_first() {
            flags = rest;
            if *flag == "--store" {
                options.is_stored = true;
                continue;
            }
            let (value, rest) = flags.split_first()?;
            flags = rest;
            match *flag {
                "--binary" => options.binary = Some(PathBuf::from(value)),
                "--arch" => options.arch = Arch::parse(value)?,
                "--version" => options.version = Some((*value).to_owned()),
                "--to" => options.to = Some(PathBuf::from(value)),
                "--certificates" => options.certificates = PathBuf::from(value),
                _ => return None,
            }
        }
        Some(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_any_order() {
        let options = DistOptions::parse(&["deb", "--store", "--binary", "a/dwell", "--arch", "aarch64"]).unwrap();
        assert_eq!((options.artifacts, options.is_stored, options.arch), (vec![Artifact::Deb], true, Arch::Aarch64));
        assert_eq!(options.binary, Some(PathBuf::from("a/dwell")));
        assert_eq!(DistOptions::parse(&["wheel,sums"]).unwrap().artifacts, [Artifact::Wheel, Artifact::Sums]);
        assert_eq!(DistOptions::parse(&["all"]).unwrap().artifacts, Artifact::EACH);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for args in [
            &[][..],
            &["rpm"],
            &["deb,rpm"],
            &["deb", "--binary"],
            &["deb", "--arch", "sparc"],
            &["deb", "--fast", "1"],
        ] {
            assert!(DistOptions::parse(args).is_none(), "{args:?}");
        }
    }
}
