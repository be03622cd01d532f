//! Settings of models: which level counts, and what is out of range.

use protocol::{ModelOverrides, ModelSettings};

#[test]
fn the_narrower_level_counts_field_by_field() {
    let wider = ModelSettings { temperature: Some(0.5), seed: Some(7), ..ModelSettings::default() };
    let own = ModelSettings { temperature: Some(1.0), stop: Some(vec!["END".to_owned()]), ..Default::default() };
    let both = own.or(&wider);
    assert_eq!(
        (both.temperature, both.seed, both.stop.as_deref()),
        (Some(1.0), Some(7), Some(&["END".to_owned()][..]))
    );
}

#[test]
fn values_out_of_range_are_named() {
    let bad = |settings: ModelSettings| settings.check().unwrap_err();
    assert!(bad(ModelSettings { temperature: Some(2.5), ..Default::default() }).contains("temperature"));
    assert!(bad(ModelSettings { temperature: Some(f64::NAN), ..Default::default() }).contains("temperature"));
    assert!(bad(ModelSettings { top_p: Some(0.0), ..Default::default() }).contains("top_p"));
    assert!(bad(ModelSettings { max_output_tokens: Some(0), ..Default::default() }).contains("max_output_tokens"));
    assert!(bad(ModelSettings { stop: Some(vec![String::new()]), ..Default::default() }).contains("stop"));
    let overrides = ModelOverrides { price_in: Some(-1.0), ..ModelOverrides::default() };
    assert!(overrides.check().unwrap_err().contains("price_in"));
    assert!(ModelOverrides { context_tokens: Some(10), ..Default::default() }.check().is_err());
}
