"""Tools in code: functions that models call, run by `chat` and `stream` or served by a worker."""

from .function import AnyTool, Effect, Tool, ToolContext, ToolError, tool, tools_by_name
from .reading import BadValue
from .record import CallRecord, CallResult
from .runner import Call, CallRunner
from .schema import schema_of
from .worker import Worker

__all__ = [
    "AnyTool",
    "BadValue",
    "Call",
    "CallRecord",
    "CallResult",
    "CallRunner",
    "Effect",
    "Tool",
    "ToolContext",
    "ToolError",
    "Worker",
    "schema_of",
    "tool",
    "tools_by_name",
]
