"""Functions as tools, without a server: schemas, arguments, results."""

from __future__ import annotations

import datetime
import enum
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NewType, NotRequired, Optional, TypedDict, Union

import pytest

import dwell
from dwell.structured import AnswerFormat
from dwell.tools.reading import BadValue, read, to_text
from dwell.tools.schema import schema_of


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    """A place on a map."""

    x: float
    y: Annotated[float, "metres to the north"] = 0.0
    tags: list[str] = field(default_factory=list)


class Person(TypedDict):
    name: str
    age: NotRequired[int]


@dataclass
class Branch:
    name: str
    branches: list[Branch]


Id = NewType("Id", str)

SCHEMAS: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (Id, {"type": "string"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (Sequence[str], {"type": "array", "items": {"type": "string"}}),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (list, {"type": "array", "items": {}}),
    (
        tuple[int, str],
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
    ),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (Mapping, {"type": "object", "additionalProperties": True}),
    (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
    (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
    (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal["a", 1], {"enum": ["a", 1]}),
    (Colour, {"type": "string", "enum": ["red", "blue"]}),
    (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
    (
        Point,
        {
            "type": "object",
            "properties": {
                "x": {"type": "number"},
                "y": {"type": "number", "description": "metres to the north", "default": 0.0},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["x"],
            "additionalProperties": False,
            "description": "A place on a map.",
        },
    ),
    (
        Person,
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name"],
            "additionalProperties": False,
        },
    ),
]


@pytest.mark.parametrize(("hint", "schema"), SCHEMAS, ids=lambda each: str(each)[:40])
def test_a_type_has_its_schema(hint: Any, schema: dict[str, Any]) -> None:
    assert schema_of(hint) == schema


def test_a_type_that_contains_itself_is_named() -> None:
    schema = schema_of(Branch)
    assert schema["$ref"] == "#/$defs/Branch"
    assert schema["$defs"]["Branch"]["properties"]["branches"]["items"] == {"$ref": "#/$defs/Branch"}
    tree = read(Branch, {"name": "a", "branches": [{"name": "b", "branches": []}]})
    assert tree.branches[0] == Branch("b", [])


def test_a_type_that_json_cannot_express_is_refused() -> None:
    with pytest.raises(TypeError, match="keys of an object are strings"):
        schema_of(dict[int, str])
    with pytest.raises(TypeError, match="Program has no JSON Schema"):
        from .program import Program

        schema_of(Program)


VALUES: list[tuple[Any, Any, Any]] = [
    (int, 3.0, 3),
    (float, 3, 3.0),
    (int | str, "3", "3"),
    (float | int, 3, 3),
    (list[Point], [{"x": 1}], [Point(1.0)]),
    (Colour, "blue", Colour.BLUE),
    (Person, {"name": "Ada"}, {"name": "Ada"}),
    (datetime.date, "2026-02-03", datetime.date(2026, 2, 3)),
    (tuple[int, ...], [1, 2], (1, 2)),
    (set[str], ["a", "a"], {"a"}),
    (dict[str, Colour], {"k": "red"}, {"k": Colour.RED}),
]


@pytest.mark.parametrize(("hint", "given", "value"), VALUES, ids=lambda each: str(each)[:30])
def test_a_value_becomes_its_type(hint: Any, given: Any, value: Any) -> None:
    found = read(hint, given)
    assert found == value
    assert type(found) is type(value)


BAD: list[tuple[Any, Any, str]] = [
    (int, True, "should be an integer, not a boolean"),
    (int, 2.5, "should be an integer"),
    (str, 5, "should be a string, not an integer"),
    (list[int], [1, "b"], r"v\[1\] should be an integer"),
    (Point, {"y": 1}, "v lacks x"),
    (Point, {"x": 1, "z": 2}, "unknown fields: z; known are x, y, tags"),
    (Colour, "green", 'one of "red", "blue"'),
    (Literal[1], True, "one of 1"),
    (int | None, "x", "an integer, not a string; or v should be null"),
    (datetime.date, "soon", "v: "),
    (dict[str, int], {"a": "b"}, r"v\.a should be an integer"),
]


@pytest.mark.parametrize(("hint", "given", "message"), BAD, ids=lambda each: str(each)[:30])
def test_a_wrong_value_is_named_with_its_place(hint: Any, given: Any, message: str) -> None:
    with pytest.raises(BadValue, match=message):
        read(hint, given, "v")


def test_a_function_describes_itself() -> None:
    @dwell.tool
    def weather(
        town: str, days: Annotated[int, "how far ahead"] = 1, unit: Literal["C", "F"] = "C", near: Point | None = None
    ) -> str:
        """Tell the weather of a town.

        It asks a service.

        Args:
            town: the name of the town,
                with its country
            unit (str): the unit of temperatures

        Returns:
            a sentence
        """
        return f"{town} {days} {unit} {near}"

    assert weather.name == "weather"
    assert weather.description == "Tell the weather of a town.\n\nIt asks a service."
    properties = weather.input_schema["properties"]
    assert properties["town"] == {"type": "string", "description": "the name of the town, with its country"}
    assert properties["days"] == {"type": "integer", "description": "how far ahead", "default": 1}
    assert properties["unit"] == {
        "type": "string", "enum": ["C", "F"], "description": "the unit of temperatures", "default": "C",
    }  # fmt: skip
    assert weather.input_schema["required"] == ["town"]
    assert weather.input_schema["additionalProperties"] is False
    assert weather("Leiden") == "Leiden 1 C None", "it can still be called"


@pytest.mark.parametrize(
    "text",
    [
        "Say it.\n\n:param count: how often\n    in all\n:returns: nothing",
        "Say it.\n\nParameters\n----------\ncount : int\n    how often\n    in all\n\nReturns\n-------\nstr\n    words",
    ],
)
def test_other_styles_of_docstrings_are_read(text: str) -> None:
    def say(count: int) -> None: ...

    say.__doc__ = text
    described = dwell.tool(say)
    assert described.description == "Say it."
    assert described.input_schema["properties"]["count"]["description"] == "how often in all"


def test_names_effects_and_contexts_are_set() -> None:
    @dwell.tool(name="other-name", description="Does it.", effect="idempotent")
    async def one(context: dwell.ToolContext, count: int) -> int:
        return count if context.call_id else 0

    assert (one.name, one.description, one.effect) == ("other-name", "Does it.", "idempotent")
    assert list(one.input_schema["properties"]) == ["count"]
    assert dwell.tool(name="part")(functools.partial(lambda a, b: a + b, 1)).name == "part"


def test_functions_that_cannot_be_tools_are_refused() -> None:
    with pytest.raises(TypeError, match="cannot be passed by name"):
        dwell.tool(name="add")(lambda *numbers: sum(numbers))
    with pytest.raises(ValueError, match="not the name of a tool"):
        dwell.tool(lambda: None)
    with pytest.raises(TypeError, match="a method needs its object"):

        class Shop:
            @dwell.tool
            def price(self) -> int:
                return 1


def test_arguments_are_checked_before_the_function_runs() -> None:
    @dwell.tool
    def add(a: int, b: int = 1) -> int:
        return a + b

    assert add.read_arguments({"a": 2}) == {"a": 2}
    for arguments, message in [
        ({}, "missing arguments: a"),
        ({"a": 1, "c": 2}, "unknown arguments: c; known are: a, b"),
        ({"a": "one"}, "a should be an integer, not a string"),
        ([1], "should be an object"),
    ]:
        with pytest.raises(BadValue, match=message):
            add.read_arguments(arguments)


def test_results_are_text_or_json() -> None:
    assert to_text("plain") == "plain"
    assert to_text([Point(1.0, tags=["é"]), Colour.RED, datetime.date(2026, 1, 2)]) == (
        '[{"x": 1.0, "y": 0.0, "tags": ["é"]}, "red", "2026-01-02"]'
    )
    assert to_text(None) == "null"


def test_an_answer_is_read_as_its_type() -> None:
    assert AnswerFormat.of(Point).parse('{"x": 2}') == Point(2.0)
    assert AnswerFormat.of({"type": "object"}).parse('{"any": [1]}') == {"any": [1]}
    with pytest.raises(BadValue, match="not JSON"):
        AnswerFormat.of(Point).parse("Certainly!")
    with pytest.raises(BadValue, match="the answer lacks x"):
        AnswerFormat.of(Point).parse("{}")


def test_models_of_pydantic_are_types_too() -> None:
    pydantic = pytest.importorskip("pydantic")
    inner = pydantic.create_model("Inner", size=(int, 1))
    model = pydantic.create_model("Order", inner=(inner, ...), note=(str, "none"))
    orders: Any = list[model]  # type: ignore[valid-type]
    schema = schema_of(orders)
    assert schema["items"]["properties"]["inner"] == {"$ref": "#/$defs/Inner"}
    assert "Inner" in schema["$defs"]
    (order,) = read(orders, [{"inner": {"size": 3}}])
    assert (order.inner.size, order.note) == (3, "none")
    assert to_text(order) == '{"inner": {"size": 3}, "note": "none"}'
    with pytest.raises(BadValue, match="size"):
        read(model, {"inner": {"size": "big"}})
