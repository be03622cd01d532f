//! Zip archives, as far as Python's wheels need them: files of less than 4 GiB, with modes.

use std::io::Write;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::entry::ArchiveEntry;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Made on Unix, by version 2.0 of the format.
const MADE_BY: u16 = (3 << 8) | 20;
const NEEDED: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// A regular file, in the upper half of the attributes.
const REGULAR: u32 = 0o100_000;
/// 1 January 1980, the earliest date that the format knows: the same bytes each time.
const DATE: u16 = (1 << 5) | 1;

/// An archive of files, in this order.
pub fn zip(entries: &[ArchiveEntry], is_stored: bool) -> Result<Vec<u8>> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = u32::try_from(archive.len()).context("the archive is too large")?;
        let member = Member::new(entry, is_stored)?;
        archive.extend(b"PK\x03\x04");
        archive.extend(member.head());
        archive.extend(entry.path.as_bytes());
        archive.extend(&member.bytes);
        directory.extend(b"PK\x01\x02");
        directory.extend(MADE_BY.to_le_bytes());
        directory.extend(member.head());
        // No comment, disk 0, no internal attributes.
        directory.extend([0; 6]);
        directory.extend(((REGULAR | entry.mode) << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.path.as_bytes());
    }
    let at = u32::try_from(archive.len()).context("the archive is too large")?;
    let count = u16::try_from(entries.len()).context("the archive has too many files")?.to_le_bytes();
    let size = u32::try_from(directory.len()).context("the archive is too large")?;
    archive.extend(directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count, count].concat());
    archive.extend([size.to_le_bytes(), at.to_le_bytes()].concat());
    archive.extend([0, 0]);
    Ok(archive)
}

/// A file as it is stored.
struct Member {
    name_bytes: u16,
    method: u16,
    crc: u32,
    size: u32,
    bytes: Vec<u8>,
}

impl Member {
    fn new(entry: &ArchiveEntry, is_stored: bool) -> Result<Self> {
        let content = entry.bytes();
        let size = u32::try_from(content.len()).with_context(|| format!("{} is too large", entry.path))?;
        let bytes = if is_stored { content.to_vec() } else { deflate(content)? };
        ensure!(u32::try_from(bytes.len()).is_ok(), "{} is too large", entry.path);
        Ok(Self {
            name_bytes: u16::try_from(entry.path.len()).with_context(|| format!("{} is too long", entry.path))?,
            method: if is_stored { STORED } else { DEFLATED },
            crc: crc32fast::hash(content),
            size,
            bytes,
        })
    }

    /// What both headers of a file have in common.
    fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        for number in [NEEDED, FLAGS, self.method, 0, DATE] {
            head.extend(number.to_le_bytes());
        }
        let stored = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        for number in [self.crc, stored, self.size] {
            head.extend(number.to_le_bytes());
        }
        head.extend(self.name_bytes.to_le_bytes());
        // No further fields.
        head.extend([0, 0]);
        head
    }
}

fn deflate(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).context("failed to compress")?;
    encoder.finish().context("failed to compress")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_directory_leads_to_every_file() {
        for is_stored in [false, true] {
            let text = "words ".repeat(100);
            let entries = [ArchiveEntry::file("a/b.txt", text.clone()), ArchiveEntry::program("run", "x")];
            let archive = zip(&entries, is_stored).unwrap();
            let end = &archive[archive.len() - 22..];
            assert!(end.starts_with(b"PK\x05\x06") && end[8] == 2);
            let at = u32::from_le_bytes(end[16..20].try_into().unwrap()) as usize;
            let directory = &archive[at..];
            assert!(directory.starts_with(b"PK\x01\x02"));
            assert_eq!(u32::from_le_bytes(directory[38..42].try_into().unwrap()) >> 16, 0o100_644);
            let stored = u32::from_le_bytes(directory[20..24].try_into().unwrap()) as usize;
            let content = &archive[30 + 7..30 + 7 + stored];
            let mut read = String::new();
            if is_stored {
                read = String::from_utf8(content.to_vec()).unwrap();
            } else {
                flate2::read::DeflateDecoder::new(content).read_to_string(&mut read).unwrap();
                assert!(stored < text.len());
            }
            assert_eq!(read, text);
        }
    }
}
