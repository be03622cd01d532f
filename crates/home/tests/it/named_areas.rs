//! What a model is told of the home for a message.

use home::LiveHomeContext;
use ports::HomeContext;

use crate::fake_home::FakeHome;

#[tokio::test]
async fn a_message_that_names_two_areas_brings_the_entities_of_both() {
    let context = LiveHomeContext::new(FakeHome::new());
    let told = context.section("Compare the kitchen with the bedroom.", None).unwrap().base.text;
    for id in ["light.kitchen", "light.counter", "light.bedroom"] {
        assert!(told.contains(&format!("- {id} ")), "{id}: {told}");
    }
    let told = context.section("What is on in the bedroom?", None).unwrap().base.text;
    assert!(told.contains("- light.bedroom ") && !told.contains("- light.counter "), "{told}");
}
