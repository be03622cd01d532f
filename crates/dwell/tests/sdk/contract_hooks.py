"""What the description of the API cannot say, for the run of schemathesis in `it/contract.rs`.

A request that fits the description is accepted, unless one of these rules refuses it. Each is a part of the answer's message
and the reason why JSON Schema and OpenAPI have no words for it. Anything else that is refused is a miss.
"""

import re

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

BEYOND_THE_SCHEMA = [
    (r"the message is empty", "a message may be empty only beside `calls`"),
    (
        r"the last message is not from the user|does not belong to a call|images in a tool's result",
        "messages have to fit to each other",
    ),
    (
        r"give either `|say what to forget|send either `choice`|needs `forever=true`|scope `conversation` needs",
        "one field depends on another",
    ),
    (r"two tools named|is required, but the client|does not describe an object", "tools are compared with each other"),
    (r"key does not work with temporary sessions", "the same body has a key elsewhere"),
    (r"must be base64|supported image type|image cannot be downloaded", "the bytes of an image, or what is at its address"),
    (r"`response_schema`|`format` |`response_format`", "the field is a JSON Schema itself, and not every model takes one"),
    (r"cannot be made to call a tool|cannot be set", "it depends on the model"),
    (r"`model_overrides` is wrong", "the names begin with a provider that is configured"),
    (
        r"line \d+: |messages\[\d+\]|the archive cannot be read|not valid JSON|the format is unknown|file is damaged"
        r"|a journal begins with|a conversation is a list",
        "the file of another program, as text",
    ),
    (r"cursor is not valid|exclude each other|give a new `title`|give the `message`", "fields that belong together"),
    (r"in `filter` ", "conditions within conditions"),
    (r"the (fact|entry|memory|vault|context document) [0-9A-Z]{26}(: | refers)", "the contents of an archive are checked against each other"),
    (r"semantic search is not available", "it depends on the embedding model"),
    (r"is not an ended turn|nothing to restore|has no action|no fact with the key|there is no agent|which is not in the list", "it is not there"),
    (r"models are not changed here|cannot be added to a conversation", "the path is there to say what to do instead"),
    (r"cannot be pulled", "only models of the list are there"),
    (
        r"`input` (is empty|has no|does not|begins)|[Aa]n? (item|part|tool|function|block) (of the type `[^`]*` )?(in|of|has)|in `tools` "
        r"|`tool_choice` |`tools` |`conversation` |`messages` |`content`",
        "items, blocks and tools have a form for each type, which are described by their own API",
    ),
    (
        r"is not a time zone|is not a cron expression|recurrence rule cannot be used|in the past|too far away|four digit year"
        r"|invalid JSON: (expected|failed|parsed|parameter|invalid) .*(year|month|day|hour|minute|second|date|time)",
        "times, zones and rules have grammars of their own",
    ),
    (
        r"there is no tool|an action has 1 to|a name has 1 to|`runs_max` is|`limits.hourly_max`|a trigger names|has no times"
        r"|invalid arguments|only a reminder|the schedule (is|does|has)",
        "what is planned has to be possible",
    ),
    (r"number out of range", "a number with hundreds of digits, which no program can hold"),
    (r"looks like a secret", "secrets are recognised by many rules"),
    (
        r"floating point `[-0-9.]+`, expected [iu]64|must be a whole number",
        "`1.0` for 1 beside unknown fields, which clients of these APIs do not write",
    ),
]
RULES = [re.compile(pattern) for pattern, _ in BEYOND_THE_SCHEMA]


@schemathesis.check
def accepts_what_is_described(ctx, response, case):
    try:
        return positive_data_acceptance(ctx, response, case)
    except AssertionError:
        text = response.content.decode("utf-8", "replace")
        if response.status_code == 422 or any(rule.search(text) for rule in RULES):
            return None
        raise
