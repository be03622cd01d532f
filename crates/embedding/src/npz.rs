//! NumPy's arrays in a zip file (`.npz`), as far as a model file needs it: deflated or stored,
//! floats of 4 bytes or bytes, row by row.

use std::collections::HashMap;

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::{EmbeddingError, weights::unusable};

/// The most bytes of one array. It bounds the memory for a file that lies about its sizes.
const ARRAY_BYTES_MAX: usize = 256 << 20;
/// Signatures of the zip format.
const END: u32 = 0x0605_4b50;
const ENTRY: u32 = 0x0201_4b50;
const LOCAL: u32 = 0x0403_4b50;
/// Lengths of its records without their variable parts.
const END_LENGTH: usize = 22;
const ENTRY_LENGTH: usize = 46;
const LOCAL_LENGTH: usize = 30;
/// The start of an array.
const MAGIC: &[u8] = b"\x93NUMPY";

/// A file in the archive.
#[derive(Debug, Clone, Copy)]
struct Entry<'a> {
    is_deflated: bool,
    /// Its size when unpacked.
    size: usize,
    data: &'a [u8],
}

/// The arrays of a file by name.
#[derive(Debug)]
pub(super) struct Arrays<'a>(HashMap<&'a str, Entry<'a>>);

impl<'a> Arrays<'a> {
    pub(super) fn read(file: &'a [u8]) -> Result<Self, EmbeddingError> {
        directory(file).map(Self).ok_or_else(|| unusable("its file is damaged"))
    }

    /// An array of floats with its shape.
    pub(super) fn floats(&self, name: &str) -> Result<(Vec<f32>, Vec<usize>), EmbeddingError> {
        let (data, shape) = self.array(name, "<f4", 4)?;
        let (values, _) = data.as_chunks::<4>();
        Ok((values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(), shape))
    }

    /// An array of bytes with its shape.
    pub(super) fn bytes(&self, name: &str) -> Result<(Vec<u8>, Vec<usize>), EmbeddingError> {
        self.array(name, "|u1", 1)
    }

    fn array(&self, name: &str, kind: &str, bytes_each: usize) -> Result<(Vec<u8>, Vec<usize>), EmbeddingError> {
        let entry = self.0.get(format!("{name}.npy").as_str());
        let entry = entry.ok_or_else(|| unusable(&format!("its file has no {name}")))?;
        let read = || {
            let mut bytes = entry.unpack()?;
            let (shape, start) = header(&bytes, kind)?;
            let count = shape.iter().try_fold(bytes_each, |count, size| count.checked_mul(*size))?;
            (bytes.len() - start == count).then(|| (bytes.split_off(start), shape))
        };
        read().ok_or_else(|| unusable(&format!("its {name} is damaged or of another kind")))
    }
}

impl Entry<'_> {
    fn unpack(&self) -> Option<Vec<u8>> {
        let limit = self.size.min(ARRAY_BYTES_MAX);
        let bytes =
            if self.is_deflated { decompress_to_vec_with_limit(self.data, limit).ok()? } else { self.data.to_vec() };
        (bytes.len() == self.size).then_some(bytes)
    }
}

/// The files of an archive, from the directory at its end.
fn directory(file: &[u8]) -> Option<HashMap<&str, Entry<'_>>> {
    // The end may have a comment of up to 64 KiB.
    let first = file.len().saturating_sub(END_LENGTH + usize::from(u16::MAX));
    let last = file.len().checked_sub(END_LENGTH)?;
    let end = (first..=last).rev().find(|at| word(file, *at) == Some(END))?;
    let (count, mut at) = (half(file, end + 10)?, word(file, end + 16)? as usize);
    let mut entries = HashMap::new();
    for _ in 0..count {
        if word(file, at)? != ENTRY {
            return None;
        }
        let is_deflated = match half(file, at + 10)? {
            0 => false,
            8 => true,
            _ => return None,
        };
        let (packed, size) = (word(file, at + 20)? as usize, word(file, at + 24)? as usize);
        let (name, extra, comment) = (half(file, at + 28)?, half(file, at + 30)?, half(file, at + 32)?);
        let local = word(file, at + 42)? as usize;
        if word(file, local)? != LOCAL {
            return None;
        }
        let start = local + LOCAL_LENGTH + half(file, local + 26)? + half(file, local + 28)?;
        let data = file.get(start..start.checked_add(packed)?)?;
        let text = file.get(at + ENTRY_LENGTH..at + ENTRY_LENGTH + name)?;
        entries.insert(std::str::from_utf8(text).ok()?, Entry { is_deflated, size, data });
        at += ENTRY_LENGTH + name + extra + comment;
    }
    Some(entries)
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().map(|bytes| usize::from(u16::from_le_bytes(*bytes)))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// The shape of an array of this kind, and where its values start.
fn header(array: &[u8], kind: &str) -> Option<(Vec<usize>, usize)> {
    let version = *array.strip_prefix(MAGIC)?.first()?;
    let (length, start) = if version == 1 { (half(array, 8)?, 10_usize) } else { (word(array, 8)? as usize, 12) };
    let text = std::str::from_utf8(array.get(start..start.checked_add(length)?)?).ok()?;
    let is_expected = text.contains(&format!("'descr': '{kind}'")) && text.contains("'fortran_order': False");
    let shape = text.split_once("'shape': (")?.1.split_once(')')?.0;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = sizes.map(|size| size.parse().ok()).collect::<Option<Vec<usize>>>()?;
    is_expected.then_some((shape, start + length))
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;
    use proptest::prelude::*;

    use super::*;

    fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
    }

    /// An archive of files, every other one deflated.
    fn archive(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let (mut archive, mut directory) = (Vec::new(), Vec::new());
        let word = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        let half = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
        for (at, (name, content)) in files.iter().enumerate() {
            let is_deflated = at % 2 == 1;
            let data = if is_deflated { compress_to_vec(content, 6) } else { content.clone() };
            let start = archive.len();
            let method = half(if is_deflated { 8 } else { 0 });
            archive.extend([LOCAL.to_le_bytes().as_slice(), &[0; 22], &half(name.len()), &half(4)].concat());
            archive.extend([name.as_bytes(), b"more", &data].concat());
            directory.extend([ENTRY.to_le_bytes().as_slice(), &[0; 6], &method, &[0; 8]].concat());
            directory.extend([word(data.len()), word(content.len())].concat());
            directory.extend([half(name.len()).as_slice(), &[0; 12], &word(start), name.as_bytes()].concat());
        }
        let start = archive.len();
        archive.extend(&directory);
        archive.extend([END.to_le_bytes().as_slice(), &[0; 6], &half(files.len())].concat());
        archive.extend([word(directory.len()).as_slice(), &word(start), &half(7), b"comment"].concat());
        archive
    }

    #[test]
    fn arrays_are_read_stored_and_deflated() {
        let floats = [1.0_f32, -2.5].map(f32::to_le_bytes).concat();
        let file = archive(&[
            ("a.npy", npy("<f4", "(2,)", &floats)),
            ("b.npy", npy("|u1", "(2, 3)", &[1, 2, 3, 4, 5, 6])),
            ("c.npy", npy("<f4", "()", &floats[..4])),
            ("short.npy", npy("<f4", "(3,)", &floats)),
        ]);
        let arrays = Arrays::read(&file).unwrap();
        assert_eq!(arrays.floats("a").unwrap(), (vec![1.0, -2.5], vec![2]));
        assert_eq!(arrays.bytes("b").unwrap(), (vec![1, 2, 3, 4, 5, 6], vec![2, 3]));
        assert_eq!(arrays.floats("c").unwrap(), (vec![1.0], vec![]));
        for (name, why) in [("d", "no d"), ("b", "another kind"), ("short", "damaged")] {
            let error = arrays.floats(name).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_damaged_archive_is_refused_or_read_without_a_panic(at in 0_usize..400, byte: u8, cut in 0_usize..400) {
            let mut file = archive(&[("a.npy", npy("|u1", "(40,)", &[7; 40])), ("b.npy", npy("|u1", "(40,)", &[7; 40]))]);
            let length = file.len();
            file[at % length] = byte;
            file.truncate(length - cut % length);
            if let Ok(arrays) = Arrays::read(&file) {
                let _ = (arrays.bytes("a"), arrays.bytes("b"), arrays.floats("a"));
            }
        }
    }
}
