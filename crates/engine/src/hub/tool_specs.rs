//! Tools as models see them, built once for each registered tool.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use model::ToolSpec;
use tools::RegisteredTool;

/// Maximum number of cached tools; beyond it the cache is cleared and filled again on demand.
const SPECS_MAX: usize = 10_000;

/// The cached tools.
#[derive(Default)]
pub(crate) struct ToolSpecs {
    by_name: Mutex<HashMap<String, (Arc<RegisteredTool>, ToolSpec)>>,
}

impl ToolSpecs {
    /// A tool as models see it.
    pub(crate) fn of(&self, entry: &Arc<RegisteredTool>) -> ToolSpec {
        let mut by_name = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        // Another tool may have been registered under the same name.
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
