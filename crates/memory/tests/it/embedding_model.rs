//! The real embedding model, if it is installed: `dwell setup --to target/models/all-minilm-l6-v2`
//! downloads it, as `./test` does. `DWELL_MODELS` names another folder of models.

use std::{
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use memory::embedding::{Embedder, MiniLm, folder};

/// Loaded once for all tests of a process.
static MODEL: LazyLock<Option<Arc<MiniLm>>> = LazyLock::new(|| {
    let folder = models().join(folder::NAME);
    folder.join(folder::WEIGHTS).exists().then(|| Arc::new(MiniLm::load(&folder).unwrap()))
});

#[allow(clippy::disallowed_methods, reason = "tests are told where the models are")]
fn models() -> PathBuf {
    let named = std::env::var_os("DWELL_MODELS").map(PathBuf::from);
    named.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/models"))
}

/// The model; without it a test is skipped with a message.
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn model() -> Option<&'static MiniLm> {
    if MODEL.is_none() {
        eprintln!("SKIPPED: there is no model in {}; `dwell setup --to` fetches it", models().display());
    }
    MODEL.as_deref()
}

/// The model as an embedder.
pub(crate) fn shared() -> Option<Arc<dyn Embedder>> {
    model()?;
    MODEL.clone().map(|model| model as Arc<dyn Embedder>)
}

fn embed(model: &MiniLm, text: &str) -> Vec<f32> {
    model.embed(&[text]).unwrap().remove(0)
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// Texts of many kinds.
fn texts() -> Vec<String> {
    let mut texts = vec![String::new(), " \n".to_owned(), "word ".repeat(5000), "x".repeat(100_000)];
    texts.extend(
        [
            "Where did I put the keys of the car?",
            "She plays the violin in an orchestra.",
            "The train to Hamburg leaves at half past seven.",
            "😀 I love 🍕 and 👩‍👩‍👧",
            "我喜欢吃苹果",
            "Grüße aus München!",
            "fn main() { let x = 1 << 3; }",
            "\u{0}\u{200b}\u{fffd}",
            "e\u{301}\u{301}\u{301}",
        ]
        .map(str::to_owned),
    );
    texts
}

#[test]
fn every_text_has_a_vector_of_length_one() {
    let Some(model) = model() else { return };
    for text in texts() {
        let vector = embed(model, &text);
        assert_eq!(vector.len(), 384);
        assert!((dot(&vector, &vector) - 1.0).abs() < 1e-4, "{text:.40}");
    }
    assert!(model.embed(&[]).unwrap().is_empty());
}

#[test]
fn texts_together_have_the_vectors_they_have_alone() {
    let Some(model) = model() else { return };
    let texts = texts();
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    for (text, together) in texts.iter().zip(model.embed(&texts).unwrap()) {
        for (together, alone) in together.iter().zip(embed(model, text)) {
            assert!((together - alone).abs() < 1e-4, "{text:.40}");
        }
    }
}

#[test]
fn the_same_in_other_words_is_nearer_than_something_else() {
    let Some(model) = model() else { return };
    for (text, paraphrase, unrelated) in [
        ("My car broke down this morning.", "The vehicle stopped working today.", "I baked a chocolate cake."),
        ("What does she do for a living?", "Her job is teaching at a school.", "The river is frozen in winter."),
        ("He cannot eat nuts.", "Peanuts give him an allergic reaction.", "He bought a new bicycle."),
        ("turn the lamp off", "please switch off the light", "please play some music"),
    ] {
        let [text, paraphrase, unrelated] = [text, paraphrase, unrelated].map(|text| embed(model, text));
        assert!(dot(&text, &paraphrase) > dot(&text, &unrelated) + 0.1);
    }
}

#[test]
fn threads_may_ask_at_the_same_time() {
    let Some(model) = model() else { return };
    let wanted = embed(model, "one and the same");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(embed(model, "one and the same"), wanted));
        }
    });
}
