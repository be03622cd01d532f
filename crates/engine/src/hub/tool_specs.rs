//! Tools as models are told of them, made once for each tool that is registered.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use model::ToolSpec;
use tools::Entry;

/// Tools that are kept; past that all are let go of, and made again where they are needed.
const SPECS_MAX: usize = 10_000;

/// The tools that models were told of.
#[derive(Default)]
pub(crate) struct ToolSpecs {
    by_name: Mutex<HashMap<String, (Arc<Entry>, ToolSpec)>>,
}

impl ToolSpecs {
    /// A tool as a model is told of it.
    pub(crate) fn of(&self, entry: &Arc<Entry>) -> ToolSpec {
        let mut by_name = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        // Another tool may have come under the same name.
        if let Some((_, spec)) = by_name.get(&entry.declaration.name).filter(|(known, _)| Arc::ptr_eq(known, entry)) {
            return spec.clone();
        }
        let declaration = &entry.declaration;
        let spec = ToolSpec::new(&*declaration.name, &*declaration.description, entry.brief_schema.clone());
        if by_name.len() >= SPECS_MAX {
            by_name.clear();
        }
        by_name.insert(declaration.name.clone(), (entry.clone(), spec.clone()));
        spec
    }
}
