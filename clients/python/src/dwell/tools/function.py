"""Python functions as tools: `@tool` reads name, description and schema from the function."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import re
import threading
import typing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, ParamSpec, TypeVar, overload

from .. import types as wire
from .docstring import read_docstring
from .reading import BadValue, read
from .schema import JsonSchema, SchemaBuilder, unwrap

P = ParamSpec("P")
R = TypeVar("R")

#: What a second run of the same call does: nothing (`pure`), the same as once (`idempotent`), or
#: something else.
Effect = Literal["pure", "idempotent", "at_most_once"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ToolError(Exception):
    """Raise it in a tool to give the model an error to read; the call then counts as failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """The call that a function runs for.

    A parameter of this type gets it; the model does not see that parameter.
    """

    session_id: str
    turn_id: str
    call_id: str
    tool: str
    #: The idempotency key of the call: the same whenever the same call is delivered again.
    key: str
    agent_id: str | None = None
    #: When the server stops waiting.
    until: str | None = None
    #: Whether the call may have been delivered to a worker before.
    redelivered: bool = False
    _report: Callable[[str, float | None], None] = field(default=lambda _text, _part: None, repr=False, compare=False)
    _cancelled: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)

    @property
    def is_cancelled(self) -> bool:
        """Whether the call was cancelled.

        An async function is cancelled by itself; a sync one has to look here.
        """
        return self._cancelled.is_set()

    def progress(self, message: str, progress: float | None = None) -> None:
        """Report progress: a text, and the part that is done from 0 to 1.

        It returns at once, also in a thread.
        """
        self._report(message, progress)


class Tool(Generic[P, R]):
    """A function that a model can call. It can still be called as the function it was."""

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str | None = None,
        description: str | None = None,
        effect: Effect = "at_most_once",
    ) -> None:
        """Make a tool of a function; raises `TypeError` if its signature has no JSON form."""
        said, parameters = read_docstring(function)
        self.function = function
        self.name: str = name or str(getattr(function, "__name__", ""))
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is not the name of a tool: 1 to 64 letters, digits, _ and -")
        self.description = description if description is not None else said
        self.effect = effect
        self._parameters, self._context_name = _parameters_of(function)
        self.input_schema = _schema_of(self._parameters, parameters)
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Call the function."""
        return self.function(*arguments, **named)

    def __repr__(self) -> str:
        """The tool by its name."""
        return f"Tool({self.name!r})"

    @property
    def definition(self) -> wire.ClientTool:
        """The tool as the wire names it."""
        return {"name": self.name, "description": self.description, "input_schema": self.input_schema}

    def read_arguments(self, arguments: Any) -> dict[str, Any]:
        """Convert the model's arguments; raises `BadValue` that says what is wrong with them."""
        given = {} if arguments is None else arguments
        if not isinstance(given, Mapping):
            raise BadValue("the arguments should be an object")
        unknown = sorted(set(given) - set(self._parameters))
        if unknown:
            known = ", ".join(self._parameters) or "none"
            raise BadValue(f"unknown arguments: {', '.join(unknown)}; known are: {known}")
        missing = [name for name, each in self._parameters.items() if each.default is each.empty and name not in given]
        if missing:
            raise BadValue(f"missing arguments: {', '.join(missing)}")
        return {name: read(self._parameters[name].annotation, value, name) for name, value in given.items()}

    async def run(self, arguments: Any, context: ToolContext, executor: Executor | None = None) -> Any:
        """Run the function for a call: an async one here, a sync one in a thread."""
        named = self.read_arguments(arguments)
        if self._context_name is not None:
            named[self._context_name] = context
        call: Callable[[], Any] = functools.partial(typing.cast(Any, self.function), **named)
        if _is_async(self.function):
            return await call()
        inside = contextvars.copy_context()
        result: Any = await asyncio.get_running_loop().run_in_executor(executor, lambda: inside.run(call))
        # A sync function may hand back a coroutine, as a `functools.partial` of an async one does.
        return await result if inspect.isawaitable(result) else result


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, effect: Effect = "at_most_once"
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...
def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    effect: Effect = "at_most_once",
) -> Tool[P, R] | Callable[[Callable[P, R]], Tool[P, R]]:
    """Make a function a tool: `@tool`, `@tool(effect="idempotent")` or `tool(function)`.

    Name and description come from the function, the schema of its arguments from its type hints,
    their descriptions from the docstring or from `Annotated[int, "how many"]`. `effect` says what
    happens if a call runs twice; the default is that it must not.
    """
    if function is None:
        return lambda each: Tool(each, name=name, description=description, effect=effect)
    return Tool(function, name=name, description=description, effect=effect)


#: What `tools=` takes: tools, functions, or definitions that the caller answers itself.
AnyTool = Tool[..., Any] | Callable[..., Any] | Mapping[str, Any]


def tools_by_name(tools: Sequence[AnyTool]) -> dict[str, Tool[..., Any]]:
    """Tools and functions by name; definitions without a function are left out."""
    found: dict[str, Tool[..., Any]] = {}
    for each in tools:
        if isinstance(each, Mapping):
            continue
        one = each if isinstance(each, Tool) else Tool(each)
        if one.name in found:
            raise ValueError(f"two tools are called {one.name!r}: give one another name")
        found[one.name] = one
    return found


def _parameters_of(function: Callable[..., Any]) -> tuple[dict[str, inspect.Parameter], str | None]:
    """The parameters that the model fills in, and the one that takes the context."""
    try:
        hints = typing.get_type_hints(_with_hints(function), include_extras=True)
    except NameError as error:
        raise TypeError(f"a type hint is not known where the tool is made: {error}; define it in the module") from error
    found: dict[str, inspect.Parameter] = {}
    context = None
    for name, each in inspect.signature(function).parameters.items():
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            raise TypeError(f"the parameter {each} cannot be passed by name: a tool's arguments are an object")
        hint = hints.get(name, Any)
        if name == "self" and not found:
            raise TypeError("a method needs its object: use dwell.tool(object.method)")
        if unwrap(hint)[0] is ToolContext:
            context = name
        else:
            found[name] = each.replace(annotation=hint)
    return found, context


def _with_hints(function: Any) -> Any:
    """Where the type hints are: in a callable object's method, or in what a `partial` wraps."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if inspect.isroutine(function) else type(function).__call__


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(_with_hints(function))


def _schema_of(parameters: Mapping[str, inspect.Parameter], said: Mapping[str, str]) -> JsonSchema:
    builder = SchemaBuilder()
    properties: dict[str, JsonSchema] = {}
    for name, each in parameters.items():
        schema = builder.build(each.annotation)
        if name in said and "description" not in schema:
            schema["description"] = said[name]
        if each.default is not each.empty and isinstance(each.default, (str, int, float, bool)):
            schema["default"] = each.default
        properties[name] = schema
    required = [name for name, each in parameters.items() if each.default is each.empty]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return builder.finish(schema)
