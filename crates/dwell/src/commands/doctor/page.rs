//! The web page that the program serves.

use super::Diagnosis;
use crate::browser;

pub(super) fn check() -> Vec<Diagnosis> {
    vec![if browser::has_page() {
        Diagnosis::ok("page", "built in")
    } else {
        let advice = "everything else works; `./run` builds it, and every release has it";
        Diagnosis::warning("page", "this program was built without the web page", advice)
    }]
}
