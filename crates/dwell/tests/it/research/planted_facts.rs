//! Documents and pages with unique facts, so that a claim can be traced to its source by its words.

/// A fact that one source states, and the question for it.
pub(super) struct PlantedFact {
    pub(super) name: String,
    pub(super) claim: String,
    pub(super) question: String,
}

/// The fact with that number: a mill in a village that exists nowhere else.
pub(super) fn planted(number: usize) -> PlantedFact {
    let name = village(number);
    let (sacks, year) = (100 + number * 7, 1500 + number);
    PlantedFact {
        claim: format!("The mill of {name} grinds {sacks} sacks of rye a day."),
        question: format!("research how many sacks of rye the mill of {name} grinds a day"),
        name: format!("{name} ({year})"),
    }
}

/// A unique name of a village.
fn village(number: usize) -> String {
    const FIRST: [&str; 8] = ["Bron", "Delf", "Gorm", "Hask", "Jorl", "Krut", "Malv", "Nost"];
    const SECOND: [&str; 8] = ["aber", "endil", "ifor", "omar", "ulen", "ayst", "ekka", "oriq"];
    const THIRD: [&str; 6] = ["berg", "dorf", "wick", "holm", "sted", "ton"];
    let (first, second) = (FIRST[number % 8], SECOND[number / 8 % 8]);
    format!("{first}{second}{}", THIRD[number / 64 % 6])
}

/// The fact, in paragraphs that are otherwise the same in all sources.
pub(super) fn paragraphs(number: usize) -> Vec<String> {
    let PlantedFact { claim, name, .. } = planted(number);
    vec![
        format!("{name} lies in a valley. Its people keep sheep and bees, and the road to the coast passes by."),
        format!("Rye has been grown there for long. {claim} Wheat is brought from elsewhere by cart."),
        "Every autumn there is a market for cheese, wool and honey, to which people come from all around.".to_owned(),
    ]
}

/// The same as Markdown with a table.
pub(super) fn markdown(number: usize) -> String {
    let PlantedFact { name, .. } = planted(number);
    let body = paragraphs(number).join("\n\n");
    format!(
        "---\ntitle: The mill of {name}\ndate: 2026-03-03\n---\n\n# The mill\n\n{body}\n\n| Month | Sacks |\n|---|---|\n| May | {} |\n",
        number * 3
    )
}

/// The same as HTML.
pub(super) fn html(number: usize) -> String {
    let PlantedFact { name, .. } = planted(number);
    let body: String = paragraphs(number).iter().map(|words| format!("<p>{words}</p>")).collect();
    format!(
        "<html><head><title>The mill of {name}</title></head><body><nav>Home</nav><main><h1>The mill</h1>{body}</main></body></html>"
    )
}
