//! All tools under their names, callable with arguments as a model writes them.

use std::{
    collections::{BTreeMap, btree_map},
    sync::{Arc, PoisonError, RwLock},
};

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::ToolServerView;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::sync::watch;

use crate::brief::brief;
use crate::tool::{CallContext, CallLookup, Declaration, Output, QuestionContext, Tool};

/// Why a tool cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A name that providers would refuse.
    #[error("`{0}` is not a valid tool name: a lower-case letter, then up to 63 lower-case letters, digits and `_`")]
    BadName(String),
    /// A name that is taken.
    #[error("there are two tools named `{0}`")]
    NameTaken(String),
    /// A time zone that is not known.
    #[error("{0}")]
    BadTimeZone(String),
}

/// Where a tool's code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolKind {
    /// In this program.
    BuiltIn,
    /// Behind an HTTP endpoint of the operator.
    Http,
    /// On an MCP server.
    Mcp,
}

impl ToolKind {
    /// As metrics name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built_in",
            Self::Http => "http",
            Self::Mcp => "mcp",
        }
    }
}

/// A tool whose arguments and answer are untyped JSON.
#[async_trait]
pub trait AnyTool: Send + Sync + 'static {
    /// Its declaration.
    fn declaration(&self) -> Declaration;
    /// The JSON Schema of its arguments.
    fn input_schema(&self) -> Value;
    /// The JSON Schema of its answer.
    fn output_schema(&self) -> Option<Value>;
    /// What the arguments affect. The error says what is wrong with the arguments.
    fn scope(&self, arguments: &Value) -> Result<Option<String>, ToolFailure>;
    /// Why the user has to confirm these arguments each time; `None` if that is not needed.
    async fn confirm(&self, _arguments: &Value) -> Option<String> {
        None
    }
    /// The question whether the call may run, in plain words; `None` if there are none.
    async fn question(&self, _arguments: &Value, _context: &QuestionContext<'_>) -> Option<String> {
        None
    }
    /// Why the tool is unavailable at the moment, such as a lost connection; `None` if it is
    /// available.
    fn away(&self) -> Option<String> {
        None
    }
    /// Where its code runs.
    fn kind(&self) -> ToolKind {
        ToolKind::BuiltIn
    }
    /// Runs the call.
    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Output, ToolFailure>;
    /// Whether an interrupted call took effect.
    async fn look_up(&self, arguments: Value, context: &CallContext) -> Result<CallLookup<Output>, ToolFailure>;
}

/// A registered tool with its immutable description. A change makes a new entry.
pub struct RegisteredTool {
    /// Its declaration.
    pub declaration: Declaration,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// A shorter version of that schema, for models. Arguments that fit this one fit the full one.
    pub brief_schema: Value,
    /// The JSON Schema of its answer.
    pub output_schema: Option<Value>,
    /// The group that the tool is added and removed with; `None` for permanent tools.
    pub group: Option<String>,
    /// The tool.
    pub tool: Arc<dyn AnyTool>,
}

impl RegisteredTool {
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

/// All tools at one moment.
type ToolMap = BTreeMap<String, Arc<RegisteredTool>>;

/// All tools by name. Clones are cheap and share the same registry.
#[derive(Clone, Default)]
pub struct Registry {
    shared: Arc<RegistryState>,
}

#[derive(Default)]
struct RegistryState {
    /// Replaced as a whole, so that every reader sees a consistent list.
    entries: RwLock<Arc<ToolMap>>,
    /// The number of replacements so far.
    changes: watch::Sender<u64>,
    /// The status of the external tool servers, by name.
    servers: RwLock<BTreeMap<String, ToolServerView>>,
}

impl Registry {
    /// Adds a tool.
    pub fn add(&mut self, tool: impl Tool) -> Result<(), Error> {
        self.add_any(Arc::new(TypedTool(tool)))
    }

    /// Adds a tool whose arguments are known only at run time.
    pub fn add_any(&mut self, tool: Arc<dyn AnyTool>) -> Result<(), Error> {
        let entry = RegisteredTool::new(tool, None)?;
        self.change(|entries| insert(entries, entry))
    }

    /// Replaces all tools of the group at once. Tools whose name is invalid or taken are rejected
    /// and returned as errors; the others are added. Tools without a group are not affected.
    pub fn replace(&self, group: &str, tools: Vec<Arc<dyn AnyTool>>) -> Vec<Error> {
        // Declarations are read before the lock is taken.
        let (fresh, refused): (Vec<_>, Vec<_>) =
            tools.into_iter().map(|tool| RegisteredTool::new(tool, Some(group))).partition(Result::is_ok);
        let mut refused: Vec<Error> = refused.into_iter().filter_map(Result::err).collect();
        self.change(|entries| {
            entries.retain(|_, entry| entry.group.as_deref() != Some(group));
            refused.extend(fresh.into_iter().flatten().filter_map(|entry| insert(entries, entry).err()));
        });
        refused
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        self.snapshot().get(name).cloned()
    }

    /// All tools at this moment, by name.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Arc<RegisteredTool>> + use<> {
        self.snapshot().values().cloned().collect::<Vec<_>>().into_iter()
    }

    /// Records the status of an external tool server.
    pub fn note_server(&self, view: ToolServerView) {
        let mut servers = self.shared.servers.write().unwrap_or_else(PoisonError::into_inner);
        servers.insert(view.name.clone(), view);
    }

    /// The status of all external tool servers, by name.
    pub fn servers(&self) -> Vec<ToolServerView> {
        let servers = self.shared.servers.read().unwrap_or_else(PoisonError::into_inner);
        servers.values().cloned().collect()
    }

    /// Notifies of every change from now on; the value counts the changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// A number that differs after each change.
    pub fn version(&self) -> u64 {
        *self.shared.changes.borrow()
    }

    fn snapshot(&self) -> Arc<ToolMap> {
        self.shared.entries.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<T>(&self, change: impl FnOnce(&mut ToolMap) -> T) -> T {
        let mut entries = self.shared.entries.write().unwrap_or_else(PoisonError::into_inner);
        // Readers that hold the current list keep it.
        let mut after = ToolMap::clone(&entries);
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

/// Whether both lists look the same to a client. A server that reconnects with the same tools is
/// not a change.
fn tells_the_same(before: &ToolMap, after: &ToolMap) -> bool {
    let told = |entry: &Arc<RegisteredTool>| {
        (entry.declaration.clone(), entry.input_schema.clone(), entry.output_schema.clone())
    };
    let is_same = |(one, other): (&Arc<RegisteredTool>, &Arc<RegisteredTool>)| {
        Arc::ptr_eq(one, other) || told(one) == told(other)
    };
    before.len() == after.len() && before.values().zip(after.values()).all(is_same)
}

fn insert(entries: &mut ToolMap, entry: Arc<RegisteredTool>) -> Result<(), Error> {
    match entries.entry(entry.declaration.name.clone()) {
        btree_map::Entry::Occupied(taken) => Err(Error::NameTaken(taken.key().clone())),
        btree_map::Entry::Vacant(free) => {
            free.insert(entry);
            Ok(())
        }
    }
}

/// Whether a tool can have this name: a lower-case letter, then up to 63 lower-case letters, digits
/// and `_`.
pub fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_lowercase())
        && name.len() <= 64
        && chars.all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
}

/// Adapts a typed tool to JSON.
struct TypedTool<T>(T);

#[async_trait]
impl<T: Tool> AnyTool for TypedTool<T> {
    fn declaration(&self) -> Declaration {
        self.0.declaration()
    }

    fn input_schema(&self) -> Value {
        schema::<T::Input>()
    }

    fn output_schema(&self) -> Option<Value> {
        Some(schema::<T::Output>())
    }

    fn scope(&self, arguments: &Value) -> Result<Option<String>, ToolFailure> {
        Ok(self.0.scope(&read(arguments.clone())?))
    }

    async fn confirm(&self, arguments: &Value) -> Option<String> {
        self.0.confirm(&read(arguments.clone()).ok()?).await
    }

    async fn question(&self, arguments: &Value, context: &QuestionContext<'_>) -> Option<String> {
        self.0.question(&read(arguments.clone()).ok()?, context).await
    }

    async fn call(&self, arguments: Value, context: &CallContext) -> Result<Output, ToolFailure> {
        let output = self.0.call(read(arguments)?, context).await?;
        self.write(&output)
    }

    async fn look_up(&self, arguments: Value, context: &CallContext) -> Result<CallLookup<Output>, ToolFailure> {
        Ok(match self.0.look_up(read(arguments)?, context).await? {
            CallLookup::Happened(output) => CallLookup::Happened(self.write(&output)?),
            CallLookup::DidNotHappen => CallLookup::DidNotHappen,
            CallLookup::Unknown => CallLookup::Unknown,
        })
    }
}

impl<T: Tool> TypedTool<T> {
    fn write(&self, output: &T::Output) -> Result<Output, ToolFailure> {
        let origin = self.0.origin(output).unwrap_or_else(|| self.0.declaration().origin);
        let (artifacts, sources) = (self.0.artifacts(output), self.0.sources(output));
        Ok(Output { value: to_value(output)?, origin, artifacts, sources })
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolFailure> {
    // Models often send `null` instead of an empty object.
    let arguments = if arguments.is_null() { Value::Object(serde_json::Map::new()) } else { arguments };
    serde_json::from_value(arguments)
        .map_err(|error| ToolFailure::Invalid(format!("the arguments do not fit: {error}")))
}

fn to_value<T: Serialize>(output: &T) -> Result<Value, ToolFailure> {
    serde_json::to_value(output)
        .map_err(|error| ToolFailure::Failed(format!("the answer cannot be serialized: {error}")))
}

/// A schema with all references inlined: not every provider resolves them.
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
