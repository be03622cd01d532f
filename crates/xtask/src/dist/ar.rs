//! The archive format of Debian's packages.

use anyhow::{Result, ensure};

const MAGIC: &[u8] = b"!<arch>\n";
const NAME_CHARS_MAX: usize = 15;

/// An archive of files, in this order.
pub fn ar(files: &[(&str, &[u8])], time: u64) -> Result<Vec<u8>> {
    let mut archive = MAGIC.to_vec();
    for (name, bytes) in files {
        ensure!(name.len() <= NAME_CHARS_MAX, "the name {name} is too long for an archive");
        let header = format!("{name:<16}{time:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, "100644", bytes.len());
        archive.extend(header.as_bytes());
        archive.extend(*bytes);
        if !bytes.len().is_multiple_of(2) {
            archive.push(b'\n');
        }
    }
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_begin_at_even_places() {
        let archive = ar(&[("a", b"odd"), ("debian-binary", b"2.0\n")], 7).unwrap();
        assert_eq!(archive.len(), 8 + 60 + 4 + 60 + 4);
        assert!(archive.starts_with(b"!<arch>\na               7           0     0     100644  3         `\nodd\n"));
        assert!(ar(&[("a name that is too long", b"")], 0).is_err());
    }
}
