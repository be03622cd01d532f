//! All tools under their names, callable with arguments as a model writes them.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::tool::{Context, Declaration, Failure, Found, Output, Tool};

/// Why a tool cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A name that providers would refuse.
    #[error("`{0}` is no name for a tool: a small letter, then up to 63 small letters, digits and `_`")]
    BadName(String),
    /// A name that is taken.
    #[error("there are two tools named `{0}`")]
    NameTaken(String),
    /// A time zone that is not known.
    #[error("{0}")]
    BadTimeZone(String),
}

/// A tool whose arguments and answer are JSON.
#[async_trait]
pub trait AnyTool: Send + Sync + 'static {
    /// What it says of itself.
    fn declaration(&self) -> Declaration;
    /// JSON Schema of its arguments.
    fn input_schema(&self) -> Value;
    /// JSON Schema of its answer.
    fn output_schema(&self) -> Option<Value>;
    /// What exactly the arguments touch. The error says what is wrong with the arguments.
    fn scope(&self, arguments: &Value) -> Result<Option<String>, Failure>;
    /// Why a person has to say so each time before these arguments are acted on, if that is so.
    async fn confirm(&self, _arguments: &Value) -> Option<String> {
        None
    }
    /// Does it.
    async fn call(&self, arguments: Value, context: &Context) -> Result<Output, Failure>;
    /// Whether a call that was cut off has happened.
    async fn look_up(&self, arguments: Value, context: &Context) -> Result<Found<Output>, Failure>;
}

/// A registered tool with what never changes about it.
pub struct Entry {
    /// What it says of itself.
    pub declaration: Declaration,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its answer.
    pub output_schema: Option<Value>,
    /// The tool.
    pub tool: Arc<dyn AnyTool>,
}

/// All tools under their names.
#[derive(Default)]
pub struct Registry {
    entries: BTreeMap<String, Entry>,
}

impl Registry {
    /// Adds a tool.
    pub fn add(&mut self, tool: impl Tool) -> Result<(), Error> {
        self.add_any(Arc::new(Typed(tool)))
    }

    /// Adds a tool whose arguments are known only at run time.
    pub fn add_any(&mut self, tool: Arc<dyn AnyTool>) -> Result<(), Error> {
        let declaration = tool.declaration();
        let name = declaration.name.clone();
        if !is_name(&name) {
            return Err(Error::BadName(name));
        }
        if self.entries.contains_key(&name) {
            return Err(Error::NameTaken(name));
        }
        let (input_schema, output_schema) = (tool.input_schema(), tool.output_schema());
        self.entries.insert(name, Entry { declaration, input_schema, output_schema, tool });
        Ok(())
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// All tools, by name.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }
}

pub(crate) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_lowercase())
        && name.len() <= 64
        && chars.all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
}

/// A typed tool behind its JSON face.
struct Typed<T>(T);

#[async_trait]
impl<T: Tool> AnyTool for Typed<T> {
    fn declaration(&self) -> Declaration {
        self.0.declaration()
    }

    fn input_schema(&self) -> Value {
        schema::<T::Input>()
    }

    fn output_schema(&self) -> Option<Value> {
        Some(schema::<T::Output>())
    }

    fn scope(&self, arguments: &Value) -> Result<Option<String>, Failure> {
        Ok(self.0.scope(&read(arguments.clone())?))
    }

    async fn confirm(&self, arguments: &Value) -> Option<String> {
        self.0.confirm(&read(arguments.clone()).ok()?).await
    }

    async fn call(&self, arguments: Value, context: &Context) -> Result<Output, Failure> {
        let output = self.0.call(read(arguments)?, context).await?;
        self.write(&output)
    }

    async fn look_up(&self, arguments: Value, context: &Context) -> Result<Found<Output>, Failure> {
        Ok(match self.0.look_up(read(arguments)?, context).await? {
            Found::Happened(output) => Found::Happened(self.write(&output)?),
            Found::DidNotHappen => Found::DidNotHappen,
            Found::Unknown => Found::Unknown,
        })
    }
}

impl<T: Tool> Typed<T> {
    fn write(&self, output: &T::Output) -> Result<Output, Failure> {
        let origin = self.0.origin(output).unwrap_or_else(|| self.0.declaration().origin);
        let (artifacts, sources) = (self.0.artifacts(output), self.0.sources(output));
        Ok(Output { value: to_value(output)?, origin, artifacts, sources })
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    // A model that has nothing to say often says nothing at all.
    let arguments = if arguments.is_null() { Value::Object(serde_json::Map::new()) } else { arguments };
    serde_json::from_value(arguments).map_err(|error| Failure::Invalid(format!("the arguments do not fit: {error}")))
}

fn to_value<T: Serialize>(output: &T) -> Result<Value, Failure> {
    serde_json::to_value(output).map_err(|error| Failure::Failed(format!("the answer cannot be written: {error}")))
}

/// A schema without references, which not every provider follows.
fn schema<T: schemars::JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut value = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    if let Some(object) = value.as_object_mut() {
        object.remove("title");
    }
    value
}
