"""A model server that follows a script: it calls a tool where a message asks for it, and then says what came back."""

import json

from aiohttp import web

CREATE = {
    "alias": "Bed light at night",
    "description": "Turns the bed light on at half past eleven at night.",
    "triggers": [{"trigger": "time", "at": "23:30:00"}],
    "conditions": [{"condition": "state", "entity_id": "light.kitchen_lights", "state": "off"}],
    "actions": [{"action": "light.turn_on", "target": {"entity_id": "light.bed_light"}}],
}
SCRIPT = (
    ("when the moon rises", "create_automation", {**CREATE, "triggers": [{"trigger": "moonrise"}]}),
    ("the hidden one", "create_automation",
     {**CREATE, "actions": [{"action": "input_boolean.turn_on", "target": {"entity_id": "input_boolean.guest_mode"}}]}),
    ("every night at half past eleven", "create_automation", CREATE),
    ("which automations", "list_automations", {}),
    ("explain", "list_automations", {"automation": "Bed light at night"}),
    ("pause", "change_automation", {"automation": "Bed light at night", "change": "pause"}),
    ("resume", "change_automation", {"automation": "Bed light at night", "change": "resume"}),
    ("remove", "change_automation", {"automation": "Bed light at night", "change": "remove"}),
)


def reply(messages):
    """The next message of the assistant."""
    last = messages[-1]
    if last["role"] == "tool":
        return {"content": f"The home says: {last['content']}"}
    said = next((m["content"] for m in reversed(messages) if m["role"] == "user"), "")
    said = said if isinstance(said, str) else " ".join(part.get("text", "") for part in said)
    for words, tool, arguments in SCRIPT:
        if words in said.lower():
            call = {"name": tool, "arguments": json.dumps(arguments)}
            return {"tool_calls": [{"index": 0, "id": f"call_{len(messages)}", "type": "function", "function": call}]}
    return {"content": f"You said: {said}"}


async def chat(request):
    asked = await request.json()
    delta = {"role": "assistant", **reply(asked["messages"])}
    reason = "tool_calls" if "tool_calls" in delta else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    head = {"id": "chat_1", "object": "chat.completion.chunk", "created": 0, "model": asked["model"]}
    if not asked.get("stream"):
        choice = {"index": 0, "message": delta, "finish_reason": reason}
        return web.json_response(head | {"object": "chat.completion", "choices": [choice], "usage": usage})
    answer = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await answer.prepare(request)
    for choice in ({"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": reason}):
        await answer.write(f"data: {json.dumps(head | {'choices': [choice]})}\n\n".encode())
    await answer.write(f"data: {json.dumps(head | {'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n".encode())
    return answer


async def start():
    """Starts it on a free port; returns its address and what to clean up."""
    app = web.Application(client_max_size=1 << 26)
    app.router.add_post("/v1/chat/completions", chat)
    models = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
    app.router.add_get("/v1/models", lambda _: web.json_response(models))
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    return f"http://127.0.0.1:{runner.addresses[0][1]}/v1", runner
