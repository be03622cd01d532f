//! The encoder compared with its definition on a tiny random model, and invalid model files.

mod known_vectors;

use std::collections::BTreeMap;

use proptest::prelude::*;
use safetensors::{Dtype, tensor::TensorView};

use super::{
    EmbeddingError, MiniLm,
    encoder::{Encoder, ScratchBuffers},
    folder,
    matrix::Machine,
    weights::Weights,
};

const HIDDEN: usize = 8;
const HEADS: usize = 2;
const INNER: usize = 12;
const LAYERS: usize = 2;
const PIECES: usize = 30;
const POSITIONS: usize = 40;

/// A model by the names of its tensors.
struct TinyModel(BTreeMap<String, (Vec<usize>, Vec<f32>)>);

impl TinyModel {
    /// The same seed gives the same model.
    fn new(mut seed: u64) -> Self {
        let mut tensors = BTreeMap::new();
        let mut add = |name: String, shape: &[usize]| {
            let values = (0..shape.iter().product()).map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
            });
            tensors.insert(name, (shape.to_vec(), values.collect()));
        };
        for (table, rows) in [("word", PIECES), ("position", POSITIONS), ("token_type", 2)] {
            add(format!("embeddings.{table}_embeddings.weight"), &[rows, HIDDEN]);
        }
        let mut norms = vec!["embeddings.LayerNorm".to_owned()];
        for layer in 0..LAYERS {
            for (part, outputs, inputs) in [
                ("attention.self.query", HIDDEN, HIDDEN),
                ("attention.self.key", HIDDEN, HIDDEN),
                ("attention.self.value", HIDDEN, HIDDEN),
                ("attention.output.dense", HIDDEN, HIDDEN),
                ("intermediate.dense", INNER, HIDDEN),
                ("output.dense", HIDDEN, INNER),
            ] {
                add(format!("encoder.layer.{layer}.{part}.weight"), &[outputs, inputs]);
                add(format!("encoder.layer.{layer}.{part}.bias"), &[outputs]);
            }
            norms.extend(["attention.output", "output"].map(|part| format!("encoder.layer.{layer}.{part}.LayerNorm")));
        }
        for norm in norms {
            add(format!("{norm}.weight"), &[HIDDEN]);
            add(format!("{norm}.bias"), &[HIDDEN]);
        }
        Self(tensors)
    }

    fn file(&self) -> Vec<u8> {
        let bytes = |values: &Vec<f32>| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        let data: Vec<_> = self.0.iter().map(|(name, (shape, values))| (name, shape.clone(), bytes(values))).collect();
        let views =
            data.iter().map(|(name, shape, data)| (name, TensorView::new(Dtype::F32, shape.clone(), data).unwrap()));
        safetensors::serialize(views, None).unwrap()
    }

    fn get(&self, name: &str) -> Vec<f64> {
        self.0[name].1.iter().map(|value| f64::from(*value)).collect()
    }

    fn dense(&self, rows: &[Vec<f64>], name: &str) -> Vec<Vec<f64>> {
        let (weight, bias) = (self.get(&format!("{name}.weight")), self.get(&format!("{name}.bias")));
        let output = |row: &Vec<f64>, at: usize| dot(row, &weight[at * row.len()..][..row.len()]) + bias[at];
        rows.iter().map(|row| (0..bias.len()).map(|at| output(row, at)).collect()).collect()
    }

    fn norm(&self, rows: &[Vec<f64>], added: &[Vec<f64>], name: &str) -> Vec<Vec<f64>> {
        let (weight, bias) = (self.get(&format!("{name}.weight")), self.get(&format!("{name}.bias")));
        let norm = |(row, added): (&Vec<f64>, &Vec<f64>)| {
            let row: Vec<_> = row.iter().zip(added).map(|(value, added)| value + added).collect();
            let mean = row.iter().sum::<f64>() / HIDDEN as f64;
            let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / HIDDEN as f64;
            let normed = row.iter().zip(&weight).zip(&bias);
            normed.map(|((value, weight), bias)| (value - mean) / (variance + 1e-12).sqrt() * weight + bias).collect()
        };
        rows.iter().zip(added).map(norm).collect()
    }

    /// The embedding of a text by the definition of the model, without optimisation.
    fn naive(&self, text: &[u32]) -> Vec<f64> {
        let [words, places, kinds] =
            ["word", "position", "token_type"].map(|table| self.get(&format!("embeddings.{table}_embeddings.weight")));
        let row = |table: &[f64], at: usize| table[at * HIDDEN..][..HIDDEN].to_vec();
        let pieces: Vec<_> = text.iter().map(|piece| row(&words, *piece as usize)).collect();
        let place = |at| row(&places, at).iter().zip(&kinds).map(|(place, kind)| place + kind).collect::<Vec<_>>();
        let places: Vec<_> = (0..text.len()).map(place).collect();
        let mut rows = self.norm(&pieces, &places, "embeddings.LayerNorm");
        for layer in 0..LAYERS {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let heard = self.attend(&rows, &name("attention.self"));
            let heard = self.dense(&heard, &name("attention.output.dense"));
            rows = self.norm(&rows, &heard, &name("attention.output.LayerNorm"));
            let mut inner = self.dense(&rows, &name("intermediate.dense"));
            inner.iter_mut().flatten().for_each(|value| *value *= normal(*value));
            let outer = self.dense(&inner, &name("output.dense"));
            rows = self.norm(&rows, &outer, &name("output.LayerNorm"));
        }
        let sum: Vec<f64> = (0..HIDDEN).map(|at| rows.iter().map(|row| row[at]).sum()).collect();
        let length = dot(&sum, &sum).sqrt();
        sum.iter().map(|value| value / length).collect()
    }

    fn attend(&self, rows: &[Vec<f64>], name: &str) -> Vec<Vec<f64>> {
        let [questions, keys, values] =
            ["query", "key", "value"].map(|part| self.dense(rows, &format!("{name}.{part}")));
        let size = HIDDEN / HEADS;
        let mut heard = vec![Vec::new(); rows.len()];
        for head in 0..HEADS {
            let part = |row: &Vec<f64>| row[head * size..][..size].to_vec();
            for (question, heard) in questions.iter().zip(&mut heard) {
                let heed = |key: &Vec<f64>| (dot(&part(question), &part(key)) / (size as f64).sqrt()).exp();
                let heeds: Vec<_> = keys.iter().map(heed).collect();
                let whole: f64 = heeds.iter().sum();
                let from = |at: usize| values.iter().zip(&heeds).map(|(row, heed)| part(row)[at] * heed / whole).sum();
                heard.extend((0..size).map(from).collect::<Vec<f64>>());
            }
        }
        heard
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The normal distribution, by the series of its density.
fn normal(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum) = (x, x);
    for step in 1..200 {
        term *= x * x / f64::from(2 * step + 1);
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

fn encoder(tiny: &TinyModel) -> Encoder {
    let machine = Machine::find();
    Encoder::new(machine, Weights::read(machine, &tiny.file(), HEADS).unwrap(), HEADS)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_encoder_does_what_its_definition_says(
        seed: u64,
        texts in prop::collection::vec(prop::collection::vec(0..u32::try_from(PIECES).unwrap(), 1..POSITIONS), 1..5),
    ) {
        let tiny = TinyModel::new(seed);
        let vectors = encoder(&tiny).encode(&mut ScratchBuffers::default(), &texts);
        prop_assert_eq!(vectors.len(), texts.len());
        for (text, vector) in texts.iter().zip(&vectors) {
            for (value, wanted) in vector.iter().zip(tiny.naive(text)) {
                prop_assert!((f64::from(*value) - wanted).abs() < 1e-3, "{value} {wanted}");
            }
        }
    }
}

#[test]
fn a_scratch_buffer_can_be_used_again_for_more_and_for_less() {
    let encoder = encoder(&TinyModel::new(7));
    let texts = [vec![1; 5], vec![2, 3], (0..30).collect(), vec![4]];
    let mut scratch = ScratchBuffers::default();
    for text in &texts {
        let text = std::slice::from_ref(text);
        assert_eq!(encoder.encode(&mut scratch, text), encoder.encode(&mut ScratchBuffers::default(), text));
    }
    assert_eq!(encoder.encode(&mut scratch, &[]), Vec::<Vec<f32>>::new());
}

#[test]
fn a_file_that_is_no_such_model_is_refused_by_name() {
    let machine = Machine::find();
    let refused = |tiny: &TinyModel, heads| Weights::read(machine, &tiny.file(), heads).err().unwrap().to_string();
    let whole = TinyModel::new(1);
    assert!(refused(&whole, 3).contains("heads"));
    let mut lacks = TinyModel::new(1);
    lacks.0.remove("encoder.layer.1.attention.self.key.weight");
    assert!(refused(&lacks, HEADS).contains("no encoder.layer.1.attention.self.key.weight"));
    let mut misfit = TinyModel::new(1);
    misfit.0.insert("encoder.layer.0.output.dense.weight".to_owned(), (vec![HIDDEN, 3], vec![0.0; HIDDEN * 3]));
    assert!(refused(&misfit, HEADS).contains("8 by 3"));
    let file = whole.file();
    for length in [0, 7, 100, file.len() - 1] {
        let refused = Weights::read(machine, &file[..length], HEADS).err().unwrap();
        assert!(refused.to_string().contains("damaged"), "{refused}");
    }
}

#[test]
fn a_folder_without_the_model_is_told_from_one_with_a_wrong_one() {
    let folder = tempfile::tempdir().unwrap();
    let load = || MiniLm::load(folder.path()).err().unwrap();
    assert!(matches!(load(), EmbeddingError::Absent(_)));
    std::fs::write(folder.path().join(folder::VOCABULARY), "[UNK]\n[CLS]\n[SEP]\n").unwrap();
    assert!(matches!(load(), EmbeddingError::Absent(_)), "half a model is none");
    std::fs::write(folder.path().join(folder::WEIGHTS), "no weights").unwrap();
    assert!(matches!(load(), EmbeddingError::Unusable(_)));
}
