//! All tools under their names, callable with arguments as a model writes them.

use std::{
    collections::{BTreeMap, btree_map},
    sync::{Arc, PoisonError, RwLock},
};

use async_trait::async_trait;
use protocol::ToolServerView;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::sync::watch;

use crate::brief::brief;
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
    /// Why it cannot be called just now, if that is so: what it depends on is away.
    fn away(&self) -> Option<String> {
        None
    }
    /// Does it.
    async fn call(&self, arguments: Value, context: &Context) -> Result<Output, Failure>;
    /// Whether a call that was cut off has happened.
    async fn look_up(&self, arguments: Value, context: &Context) -> Result<Found<Output>, Failure>;
}

/// A registered tool with what never changes about it: what changes is another entry.
pub struct Entry {
    /// What it says of itself.
    pub declaration: Declaration,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// The same in fewer words, as a model is told it. What fits this one fits that one.
    pub brief_schema: Value,
    /// JSON Schema of its answer.
    pub output_schema: Option<Value>,
    /// Those it comes and goes with; none for tools that stay.
    pub group: Option<String>,
    /// The tool.
    pub tool: Arc<dyn AnyTool>,
}

impl Entry {
    fn new(tool: Arc<dyn AnyTool>, group: Option<&str>) -> Result<Arc<Self>, Error> {
        let declaration = tool.declaration();
        if !is_name(&declaration.name) {
            return Err(Error::BadName(declaration.name));
        }
        let (input_schema, output_schema) = (tool.input_schema(), tool.output_schema());
        let (brief_schema, group) = (brief(&input_schema), group.map(str::to_owned));
        Ok(Arc::new(Self { declaration, input_schema, brief_schema, output_schema, group, tool }))
    }
}

/// What is there at one moment.
type Entries = BTreeMap<String, Arc<Entry>>;

/// All tools under their names. Cheap to clone; all clones are the same registry.
#[derive(Clone, Default)]
pub struct Registry {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Put in place whole, so that whoever lists it sees one moment.
    entries: RwLock<Arc<Entries>>,
    /// How often that has happened.
    changes: watch::Sender<u64>,
    /// How those stand who bring tools, by name.
    servers: RwLock<BTreeMap<String, ToolServerView>>,
}

impl Registry {
    /// Adds a tool.
    pub fn add(&mut self, tool: impl Tool) -> Result<(), Error> {
        self.add_any(Arc::new(Typed(tool)))
    }

    /// Adds a tool whose arguments are known only at run time.
    pub fn add_any(&mut self, tool: Arc<dyn AnyTool>) -> Result<(), Error> {
        let entry = Entry::new(tool, None)?;
        self.change(|entries| insert(entries, entry))
    }

    /// Puts these tools in the place of all that the group had, at one stroke. Those that cannot come in, because another has
    /// their name or it is none, are named; the others come in all the same. Tools that were added alone are in no group and stay.
    pub fn replace(&self, group: &str, tools: Vec<Arc<dyn AnyTool>>) -> Vec<Error> {
        // What a tool says of itself is asked before anybody has to wait for it.
        let (fresh, refused): (Vec<_>, Vec<_>) =
            tools.into_iter().map(|tool| Entry::new(tool, Some(group))).partition(Result::is_ok);
        let mut refused: Vec<Error> = refused.into_iter().filter_map(Result::err).collect();
        self.change(|entries| {
            entries.retain(|_, entry| entry.group.as_deref() != Some(group));
            refused.extend(fresh.into_iter().flatten().filter_map(|entry| insert(entries, entry).err()));
        });
        refused
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<Arc<Entry>> {
        self.snapshot().get(name).cloned()
    }

    /// All tools of this moment, by name.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Arc<Entry>> + use<> {
        self.snapshot().values().cloned().collect::<Vec<_>>().into_iter()
    }

    /// Notes how somebody stands who brings tools.
    pub fn note_server(&self, view: ToolServerView) {
        let mut servers = self.shared.servers.write().unwrap_or_else(PoisonError::into_inner);
        servers.insert(view.name.clone(), view);
    }

    /// How those stand who bring tools, by name.
    pub fn servers(&self) -> Vec<ToolServerView> {
        let servers = self.shared.servers.read().unwrap_or_else(PoisonError::into_inner);
        servers.values().cloned().collect()
    }

    /// Tells of every change from now on, as their number.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// A number that is another one after each change.
    pub fn version(&self) -> u64 {
        *self.shared.changes.borrow()
    }

    fn snapshot(&self) -> Arc<Entries> {
        self.shared.entries.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Entries) -> T) -> T {
        let mut entries = self.shared.entries.write().unwrap_or_else(PoisonError::into_inner);
        // Whoever lists the tools just now keeps what they have.
        let mut after = Entries::clone(&entries);
        let result = change(&mut after);
        let is_news = !tells_the_same(&entries, &after);
        *entries = Arc::new(after);
        drop(entries);
        self.shared.changes.send_if_modified(|count| {
            *count += u64::from(is_news);
            is_news
        });
        result
    }
}

/// Whether somebody who reads both would find no difference: a server that came back with the tools it had is no news.
fn tells_the_same(before: &Entries, after: &Entries) -> bool {
    let told =
        |entry: &Arc<Entry>| (entry.declaration.clone(), entry.input_schema.clone(), entry.output_schema.clone());
    let is_same = |(one, other): (&Arc<Entry>, &Arc<Entry>)| Arc::ptr_eq(one, other) || told(one) == told(other);
    before.len() == after.len() && before.values().zip(after.values()).all(is_same)
}

fn insert(entries: &mut Entries, entry: Arc<Entry>) -> Result<(), Error> {
    match entries.entry(entry.declaration.name.clone()) {
        btree_map::Entry::Occupied(taken) => Err(Error::NameTaken(taken.key().clone())),
        btree_map::Entry::Vacant(free) => {
            free.insert(entry);
            Ok(())
        }
    }
}

/// Whether a tool can have this name: a small letter, then up to 63 small letters, digits and `_`.
pub fn is_name(name: &str) -> bool {
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
