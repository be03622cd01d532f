//! all-MiniLM-L6-v2 as an ONNX file with weights in 8 bits: a quarter of the size of the original.
//!
//! Only its tensors are read; what the file says of the computation is what `encoder` does. The
//! exporter has kept the names of all tensors but those of the layers' matrices, which are numbered
//! in the order in which they are used.

use std::collections::HashMap;

use super::{
    EmbeddingError,
    protobuf::{Fields, Value, WireFault, packed},
    weights::{TensorFile, unusable},
};

/// The exporter's prefix of all names.
const PREFIX: &str = "inner.";
/// The matrices of a layer in the order of their numbers.
const LAYER_PARTS: [&str; 6] = [
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
];
/// ONNX's numbers of element types.
const FLOAT: u64 = 1;
const INT8: u64 = 3;

/// A tensor of the file.
#[derive(Debug, Default)]
struct OnnxTensor<'a> {
    name: &'a str,
    shape: Vec<usize>,
    kind: u64,
    data: &'a [u8],
}

/// The tensors of a file.
#[derive(Debug)]
pub(super) struct OnnxFile<'a> {
    tensors: HashMap<&'a str, OnnxTensor<'a>>,
    /// The names of the layers' matrices in the order of their numbers, without suffix.
    matrices: Vec<&'a str>,
}

impl<'a> OnnxFile<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, EmbeddingError> {
        let damaged = |_: WireFault| unusable("its file is damaged");
        let mut tensors = HashMap::new();
        for graph in messages(bytes, 7).map_err(damaged)? {
            for tensor in messages(graph, 5).map_err(damaged)? {
                let tensor = OnnxTensor::read(tensor).map_err(damaged)?;
                tensors.insert(tensor.name, tensor);
            }
        }
        let number = |name: &'a str| {
            let base = name.strip_suffix("_q")?;
            Some((base.strip_prefix("val_")?.parse::<u32>().ok()?, base))
        };
        let mut matrices: Vec<_> = tensors.keys().filter_map(|name| number(name)).collect();
        matrices.sort_unstable();
        Ok(Self { tensors, matrices: matrices.into_iter().map(|(_, base)| base).collect() })
    }

    /// The matrix of a layer, by its name in the original file.
    fn matrix(&self, name: &str) -> Option<&'a str> {
        let (layer, part) = name.strip_prefix("encoder.layer.")?.strip_suffix(".weight")?.split_once('.')?;
        let part = LAYER_PARTS.iter().position(|known| *known == part)?;
        self.matrices.get(layer.parse::<usize>().ok()?.checked_mul(LAYER_PARTS.len())?.checked_add(part)?).copied()
    }

    fn floats(&self, name: &str) -> Option<(Vec<f32>, Vec<usize>)> {
        let tensor = self.tensors.get(name).filter(|tensor| tensor.kind == FLOAT && tensor.has_all(4))?;
        let (values, _) = tensor.data.as_chunks::<4>();
        Some((values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(), tensor.shape.clone()))
    }

    /// A matrix in 8 bits, with a scale per row or per column, as floats.
    fn scaled(&self, base: &str) -> Option<(Vec<f32>, [usize; 2])> {
        let tensor = self.tensors.get(format!("{base}_q").as_str());
        let tensor = tensor.filter(|tensor| tensor.kind == INT8 && tensor.has_all(1))?;
        let (scales, scales_shape) = self.floats(&format!("{base}_scale"))?;
        let shape @ [rows, columns] = <[usize; 2]>::try_from(tensor.shape.as_slice()).ok()?;
        let is_per_row = match scales_shape.as_slice() {
            [count, 1] if *count == rows => true,
            [1, count] if *count == columns => false,
            _ => return None,
        };
        let mut values: Vec<f32> = tensor.data.iter().map(|byte| f32::from(byte.cast_signed())).collect();
        for (row, values) in values.chunks_exact_mut(columns.max(1)).enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value *= if is_per_row { scales[row] } else { scales[column] };
            }
        }
        Some((values, shape))
    }
}

impl TensorFile for OnnxFile<'_> {
    fn tensor(&self, name: &str) -> Result<(Vec<f32>, Vec<usize>), EmbeddingError> {
        let full = format!("{PREFIX}{name}");
        let transposed = || {
            let (values, [rows, columns]) = self.scaled(self.matrix(name)?)?;
            Some((transpose(&values, columns), vec![columns, rows]))
        };
        self.floats(&full)
            .or_else(|| self.scaled(&full).map(|(values, shape)| (values, shape.to_vec())))
            .or_else(transposed)
            .ok_or_else(|| unusable(&format!("its file has no {name}")))
    }

    fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(format!("{PREFIX}{name}").as_str())
    }
}

impl<'a> OnnxTensor<'a> {
    fn read(message: &'a [u8]) -> Result<Self, WireFault> {
        let mut tensor = Self::default();
        let size = |number: u64| usize::try_from(number).map_err(|_| WireFault);
        for field in Fields::of(message) {
            match field? {
                (1, Value::Number(number)) => tensor.shape.push(size(number)?),
                (1, Value::Bytes(bytes)) => {
                    tensor.shape = packed(bytes)?.into_iter().map(size).collect::<Result<_, _>>()?;
                }
                (2, Value::Number(kind)) => tensor.kind = kind,
                (8, Value::Bytes(name)) => tensor.name = std::str::from_utf8(name).map_err(|_| WireFault)?,
                (9, Value::Bytes(data)) => tensor.data = data,
                _ => {}
            }
        }
        Ok(tensor)
    }

    /// Whether its data is as long as its shape says.
    fn has_all(&self, bytes_each: usize) -> bool {
        let count = self.shape.iter().try_fold(bytes_each, |count, size| count.checked_mul(*size));
        count == Some(self.data.len())
    }
}

/// All messages inside of a message that have this number.
fn messages(message: &[u8], wanted: u64) -> Result<Vec<&[u8]>, WireFault> {
    let fields = Fields::of(message).filter_map(|field| match field {
        Ok((number, value)) => value.bytes().filter(|_| number == wanted).map(Ok),
        Err(error) => Some(Err(error)),
    });
    fields.collect()
}

/// Rows as columns.
pub(super) fn transpose(values: &[f32], columns: usize) -> Vec<f32> {
    let column = |at: usize| values.iter().skip(at).step_by(columns.max(1)).copied();
    (0..columns).flat_map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        // The length always in two bytes, seven bits each.
        let (low, high) = (bytes.len() & 0x7f | 0x80, bytes.len() >> 7);
        let start = [(number << 3 | 2).into(), low, high].map(|part| u8::try_from(part).unwrap());
        [start.as_slice(), bytes].concat()
    }

    fn tensor(name: &str, kind: u8, shape: &[u8], data: &[u8]) -> Vec<u8> {
        let mut tensor: Vec<u8> = shape.iter().flat_map(|size| [1 << 3, *size]).collect();
        tensor.extend([2 << 3, kind]);
        tensor.extend(field(8, name.as_bytes()));
        tensor.extend(field(9, data));
        field(5, &tensor)
    }

    #[test]
    fn weights_in_eight_bits_come_back_in_the_order_of_their_numbers() {
        let halves = [0.5_f32, 2.0].map(f32::to_le_bytes).concat();
        let mut graph = tensor("val_10_q", 3, &[1, 2], &[3, 0xff]);
        graph.extend(tensor("val_10_scale", 1, &[1, 2], &halves));
        graph.extend(tensor("val_9_q", 3, &[2, 1], &[1, 2]));
        graph.extend(tensor("val_9_scale", 1, &[1, 1], &1.0_f32.to_le_bytes()));
        graph.extend(tensor("inner.rows_q", 3, &[2, 1], &[2, 4]));
        graph.extend(tensor("inner.rows_scale", 1, &[2, 1], &halves));
        graph.extend(tensor("inner.short", 1, &[2], &[0; 4]));
        let bytes = field(7, &graph);
        let file = OnnxFile::read(&bytes).unwrap();
        let query = file.tensor("encoder.layer.0.attention.self.query.weight").unwrap();
        assert_eq!(query, (vec![1.0, 2.0], vec![1, 2]), "9 comes before 10, and a row per output");
        let key = file.tensor("encoder.layer.0.attention.self.key.weight").unwrap();
        assert_eq!(key, (vec![1.5, -2.0], vec![2, 1]));
        assert_eq!(file.tensor("rows").unwrap(), (vec![1.0, 8.0], vec![2, 1]));
        for missing in ["short", "encoder.layer.0.attention.self.value.weight", "encoder.layer.x.y.weight"] {
            assert!(file.tensor(missing).unwrap_err().to_string().contains(missing));
        }
        let error = OnnxFile::read(&bytes[..bytes.len() - 1]).unwrap_err();
        assert!(error.to_string().contains("damaged"), "{error}");
    }

    #[test]
    fn rows_become_columns() {
        assert_eq!(transpose(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
