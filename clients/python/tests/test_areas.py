"""Every method of the client, driven against the real server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import dwell
from dwell import Dwell
from dwell.connection import Connection
from dwell.rest import Rest

from .conftest import FAST_RETRY, model_environment
from .program import TOKEN, Program
from .scripted_model import Reply, ScriptedModel, words
from .test_tools import calls_then_repeats
from .test_wire import is_left_out
from .wire_reference import messages, routes, sent


class Recorder:
    """Notes every message and route that was sent and answered without an error."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.messages: set[str] = set()
        self.routes: set[tuple[str, str]] = set()
        request, send = Connection.request, Rest.send

        async def recorded_request(connection: Connection, kind: str, data: Any, *, is_repeatable: bool) -> Any:
            answer = await request(connection, kind, data, is_repeatable=is_repeatable)
            self.messages.add(kind)
            return answer

        async def recorded_send(rest: Rest, method: str, route: str, **more: Any) -> bytes:
            answer = await send(rest, method, route, **more)
            self.routes.add((method, route))
            return answer

        monkeypatch.setattr(Connection, "request", recorded_request)
        monkeypatch.setattr(Rest, "send", recorded_send)


@pytest.fixture
def program(tmp_path: Path, model: ScriptedModel) -> Iterator[Program]:
    program = Program(tmp_path / "server", {**model_environment(model), "DWELL_HOME_ENABLED": "true"})
    program.start()
    yield program
    program.kill()


async def test_every_message_and_route_is_answered(
    program: Program, model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(monkeypatch)
    async with dwell.connect(program.url, TOKEN, patience=FAST_RETRY) as client:
        await drive_sessions(client)
        await drive_copies(client)
        await drive_turns(client, model)
        await drive_memory(client)
        await drive_vaults(client)
        await drive_values(client)
        await drive_windows(client)
        await drive_dialogs(client)
        await drive_app(client)
        await drive_artifacts(client, tmp_path)
        await drive_library(client, tmp_path)
        await drive_home(client)
        await drive_server(client)
        await drive_schedules(client, program)
        if "tool.serve" in messages():
            await drive_worker(client, model)
        await drive_background(client, model)
        await drive_resume(client, program, model)
    assert sorted(set(messages()) - recorder.messages) == []
    wanted = {route for route in sent().routes if route in routes() and not is_left_out(route[1])}
    assert sorted(wanted - recorder.routes) == []


async def drive_sessions(client: Dwell) -> None:
    session = await client.start_session("life", model_settings={"temperature": 0.5}, pinned_tools=["calculator"])
    assert session.settings.pinned_tools == ["calculator"]
    updated = await client.update_session(session, version=session.version, preferences={"language": "nl"})
    assert updated.settings.preferences["language"] == "nl"
    with pytest.raises(dwell.Conflict):
        await client.update_session(session, version=session.version, preferences={})
    assert (await client.set_model(session, "openai/other")).settings.model == "openai/other"
    await client.set_model(session, "openai/test")
    await client.chat("hello", session="life")
    assert (await client.context_window("life"))["messages"] >= 2
    assert (await client.sessions(query="life")).data[0].key == "life"
    assert [event.seq for event in await client.event_page("life", after=1, limit=2)] == [2, 3]
    assert [event.seq async for event in client.events("life", follow=False)][:2] == [1, 2]
    assert (await client.session("life")).stats.turns == 1
    reset = await client.reset_session("life", reason="anew")
    assert reset.version > updated.version
    assert (await client.end_session(session, reason="done")).status == "ended"
    assert (await client.delete_session(session)).session_id == session.session_id


async def drive_copies(client: Dwell) -> None:
    final = await client.chat("hello", session="origin")
    fork = await client.fork_session("origin", final.turn_id, key="fork")
    assert fork.forked_from is not None
    assert fork.forked_from.turn_id == final.turn_id
    restored = await client.restore_session("origin", windows="summarized", key="restored")
    assert restored.session_id != final.session_id
    exported = await client.export_session("origin")
    assert exported["events"][0]["type"] == "session.started"
    assert (await client.export_session("origin", format="openai"))["data"]
    text = await client.download_session("origin", artifacts=True)
    await client.delete_session("origin")
    imported = await client.import_session(text, conversation_id="back")
    assert imported["status"] == "active"
    assert (await client.turns("back"))[0].request["message"] == "hello"


async def drive_turns(client: Dwell, model: ScriptedModel) -> None:
    final = await client.chat("hello", session="talk", model_settings={"max_output_tokens": 50})
    assert (await client.turn(final.turn_id, wait_ms=1000)).status == "completed"
    page = await client.turn_page("talk", order="newest", limit=1)
    assert [turn["turn_id"] for turn in page["data"]] == [final.turn_id]
    assert (await client.turn_events(final.turn_id))[0].type == "message.accepted"
    assert await client.passages(final.turn_id) == []
    again = await client.retry(final.turn_id)
    assert (await client.attach(again.turn_id).result()).status == "completed"
    assert (await client.ask("hello", wait_ms=20_000)).text.split() == ["All", "is", "well."]
    assert (await client.forget_turn("talk", final.turn_id)).records > 0

    model.rule = lambda _: words("one two three " * 400, pause_s=0.02)
    stream = client.stream("count", session="talk")
    async for event in stream:
        if isinstance(event, dwell.Token):
            break
    assert stream.turn_id is not None
    assert (await client.interrupt("talk")).turn_ids == [stream.turn_id]
    assert (await stream.result()).status == "cancelled"
    assert (await client.cancel(turn_id=stream.turn_id)).status == "already_final"

    model.rule = lambda messages: (
        words("Done.") if messages[-1]["role"] == "tool" else Reply(call=("calculator", {"expression": "1+1"}))
    )
    await client.start_session("careful", policy={"confirm": ["*"]})
    careful = client.stream("reckon carefully", session="careful", tools=[{"name": "bare", "description": "x"}])
    async for event in careful:
        if isinstance(event, dwell.Approval):
            (open_one,) = await client.approvals(session="careful")
            assert open_one["approval_id"] == event.approval_id
            await client.approve(event.approval_id, digest=event.digest)
    model.rule = lambda messages: words("Ok.") if messages[-1]["role"] == "tool" else Reply(call=("bare", {}))
    async for event in client.stream("call bare", session="talk", tools=[{"name": "bare", "description": "x"}]):
        if isinstance(event, dwell.Status) and event.status == "waiting":
            view = (await client.turns("talk", order="newest", limit=1))[0]
            result = {"call_id": view.calls_waiting[0].call_id, "content": "42"}
            await client.answer_calls(view.turn_id, [{"call_id": result["call_id"], "content": result["content"]}])
    model.rule = lambda _: words("All is well.")


async def drive_memory(client: Dwell) -> None:
    fact = await client.set_profile("tea", "green", priority=60)
    assert [each.key for each in await client.profile()] == ["tea"]
    corrected = await client.correct(fact.fact_id, "black")
    assert corrected["value"] == "black"
    assert [each.value for each in await client.profile_history("tea")] == ["black", "green"]
    assert (await client.memory_item(fact.fact_id))["superseded_by"] == corrected["id"]
    assert (await client.get_memories(key="tea")).items[0].value == "black"
    graph = await client.memory_graph(subject="me", include_ended=True, limit=10)
    assert [(each.relation, each.value, each.state) for each in graph.edges] == [
        ("tea", "black", "holds"),
        ("tea", "green", "corrected"),
    ]
    assert [each.kind for each in graph.nodes] == ["user"]
    assert (await client.memory_graph(known_at="2020-01-01T00:00:00Z")).edges == []
    notes: list[dwell.types.IngestMessage] = [{"role": "user", "content": "The key is under the mat."}]
    ingested = await client.ingest("Door", notes, vault="notes")
    memory_id = ingested["memory_id"]
    assert (await client.await_consistency(memory_id=memory_id, timeout_ms=10_000))["consistent"]
    found = await client.search("where is the key", memory_id=memory_id, group="item", limit=1)
    assert "mat" in found.items[0].text
    assert (await client.remember("Walk", [{"role": "user", "content": "We walked."}])).entries == 1
    archive = await client.export_memory()
    assert archive["format"] == "dwell.memory"
    assert (await client.import_memory(archive=archive)).entries == 0
    assert (await client.audit_memory())["duplicates"]["count"] == 0
    assert len((await client.delete_profile("tea")).items) == 2
    assert (await client.forget(memory_id=memory_id)).items != []


async def drive_vaults(client: Dwell) -> None:
    vaults = client.vaults
    vault = await vaults.create("Garden", description="What grows")
    vault_id = vault["vault_id"]
    assert vault_id in [each["vault_id"] for each in (await vaults.list(limit=50))["data"]]
    assert (await vaults.get(vault_id))["title"] == "Garden"
    assert (await vaults.update(vault_id, title="Allotment"))["title"] == "Allotment"
    assert (await vaults.update(vault_id, title="Garden"))["description"] == "What grows"
    memory_id = (await vaults.create_memory(vault_id, "Peas"))["memory_id"]
    assert (await vaults.update_memory(vault_id, memory_id, title="Beans"))["title"] == "Beans"
    assert (await vaults.memories(vault_id))["data"][0]["memory_id"] == memory_id
    assert (await vaults.memory(vault_id, memory_id))["title"] == "Beans"
    entry = await vaults.add_entry(vault_id, memory_id, "Sown in May.", tags={"plant": "bean"}, role="user")
    assert (await vaults.entries(vault_id, memory_id, order="oldest"))["data"] == [entry]
    assert (await vaults.entry(vault_id, memory_id, entry["entry_id"]))["raw_entry"] == "Sown in May."
    first = await vaults.put_context(vault_id, memory_id, "Beans are sown.")
    second = await vaults.put_context(vault_id, memory_id, "Beans are up.")
    assert len((await vaults.contexts(vault_id, memory_id))["data"]) == 2
    assert (await vaults.context(vault_id, memory_id, first["version"]))["content"] == "Beans are sown."
    assert (await vaults.latest_context(vault_id, memory_id))["version"] == second["version"]
    started = await vaults.control(vault_id, memory_id, "start_session")
    assert started["tools"] == ["get_context", "list_entries"]
    said = await vaults.control(vault_id, memory_id, message={"role": "user", "content": "Beans are ripe."})
    assert said["control"] == "process_message"
    assert (await vaults.forget_memory(vault_id, memory_id)).items != []
    with pytest.raises(dwell.NotFound):
        await vaults.memory(vault_id, memory_id)
    await vaults.forget(vault_id)
    with pytest.raises(dwell.NotFound):
        await vaults.get(vault_id)


async def call(client: Dwell, tool: str, **arguments: Any) -> str:
    """Run a tool of the server in the session that has the windows, without a model."""
    final = await client.chat("", session="screen", calls=[{"tool": tool, "arguments": arguments}])
    return final.turn_id


async def event_of(client: Dwell, kind: str, text: str) -> None:
    """Wait for a new event of the desktop that has a text in it."""
    newest = (await client.session("screen")).last_seq
    async for event in client.events("screen", after=max(newest - 3, 0)):
        if event.type == kind and text in str(event.data):
            return


async def drive_values(client: Dwell) -> None:
    first = dwell.PutValue(["notes", "é\x00", ""], b"\x00\xff", vectors=[[1.0, 0.0]])
    second = dwell.PutValue(["notes", "2"], b"", ttl_s=3600)
    assert (await client.values.write([first, second])).written == 2
    kept = dwell.PutValue(first.key, b"other", keep=True)
    assert (await client.values.write([kept], refreshes=[second.key])).written == 0
    (found,) = await client.values.read([first.key, ["none"]])
    assert (found.key, found.value, found.size, found.expires_at) == (("notes", "é\x00", ""), b"\x00\xff", 2, None)
    page = await client.values.list(["notes"], near=[2.0, 0.0], keys_only=True, limit=1)
    assert [(each.key, each.value, each.score) for each in page.data] == [(found.key, None, 1.0)]
    rest = await client.values.list(["notes"], near=[2.0, 0.0], cursor=page.next_cursor)
    assert [each.key for each in rest.data] == [("notes", "2")]
    assert rest.data[0].expires_at is not None
    before = await client.values.list(["notes"], order="key_descending", before=first.key)
    assert [each.key for each in before.data] == [("notes", "2")]
    assert (await client.values.write(deletes=[first.key], deletes_below=[["notes"]])).deleted == 2
    assert (await client.values.list(order="newest")).data == []


async def drive_windows(client: Dwell) -> None:
    button = {"type": "button", "label": "Go", "action": "go"}
    await call(
        client, "window_open", window_id="form", title="Form", content={"type": "components", "components": [button]}
    )
    desktop = client.desktop
    assert [window["window_id"] for window in (await desktop.get("screen"))["windows"]] == ["form"]
    message = await desktop.message("screen", "form", "What is this?")
    assert (await client.attach(message.turn_id).result()).status == "completed"
    pressed = await desktop.act("screen", "form", "go", form_data={}, parallel=False)
    assert (await client.attach(pressed.turn_id).result()).status == "completed"
    await desktop.interact("screen", [{"type": "window.move", "window_id": "form", "x": 10, "y": 20}])
    (window,) = (await desktop.get("screen"))["windows"]
    assert (window["bounds"]["x"], window["bounds"]["y"]) == (10, 20)
    await desktop.report_render("screen", "form", ok=False, error="no such component")
    second = await desktop.subscribe_monitor("screen", "second")
    assert [monitor["monitor_id"] for monitor in second["monitors"]] == ["main", "second"]
    left = await desktop.remove_monitor("screen", "second")
    assert [monitor["monitor_id"] for monitor in left["monitors"]] == ["main"]
    await call(client, "notify", text="Look!", keep=True)
    (notification,) = (await desktop.get("screen"))["notifications"]
    await desktop.act_on_toast("screen", notification["toast_id"])
    assert (await desktop.get("screen"))["notifications"] == []


async def drive_dialogs(client: Dwell) -> None:
    async def answered(answer: Callable[[str], Awaitable[None]], **arguments: Any) -> str:
        asking = asyncio.create_task(call(client, "ask_user", **arguments))
        await event_of(client, "actions", "dialog")
        dialogs = (await client.desktop.get("screen"))["dialogs"]
        await answer(dialogs[0]["dialog_id"])
        steps = (await client.turn(await asking)).steps
        return str(next(step["detail"] for step in steps if step["type"] == "tool_result"))

    def choose(dialog_id: str) -> Awaitable[None]:
        return client.desktop.answer_dialog("screen", dialog_id, "Yes")

    def fill_in(dialog_id: str) -> Awaitable[None]:
        return client.desktop.answer_prompt("screen", dialog_id, {"name": "Ada"})

    assert "Yes" in await answered(choose, title="Sure?", choices=["Yes", "No"])
    assert "Ada" in await answered(fill_in, title="Who?", fields=[{"type": "input", "name": "name"}])


async def drive_app(client: Dwell) -> None:
    await call(client, "window_open", window_id="app", title="Notes", content={"type": "app", "app": "notes"})
    window = next(each for each in (await client.desktop.get("screen"))["windows"] if each["window_id"] == "app")
    app = window["app"]
    assert app is not None
    token = app["token"]
    manifest: dwell.types.Manifest = {
        "name": "Notes",
        "description": "Notes",
        "state": [{"key": "count", "description": "How many notes"}],
        "commands": [],
    }
    await client.desktop.app_ready("screen", "app", token, manifest)
    asking = asyncio.create_task(call(client, "app_query", window_id="app", key="count"))
    await event_of(client, "app.request", "count")
    requests = (await client.desktop.get("screen"))["app_requests"]
    await client.desktop.app_response("screen", "app", token, requests[0]["request_id"], value=7)
    steps = (await client.turn(await asking)).steps
    assert "7" in str(next(step["detail"] for step in steps if step["type"] == "tool_result"))


async def drive_artifacts(client: Dwell, folder: Path) -> None:
    await call(client, "artifact_save", name="report.md", content="# Grüße")
    (artifact,) = (await client.artifacts.list(session="screen"))["data"]
    artifact_id = artifact["artifact_id"]
    assert [each["artifact_id"] for each in (await client.artifacts.list())["data"]] == [artifact_id]
    saved = await client.artifacts.save(artifact_id, folder / "report.md")
    assert saved.read_text(encoding="utf-8") == "# Grüße"
    await client.artifacts.delete(artifact_id)
    with pytest.raises(dwell.NotFound):
        await client.artifacts.read(artifact_id)


async def drive_library(client: Dwell, folder: Path) -> None:
    documents = folder / "documents"
    documents.mkdir()
    (documents / "beans.md").write_text("# Beans\n\nBeans are sown in May.\n", encoding="utf-8")
    added = await client.library.add_folder(str(documents), shared=True)
    assert [each["folder_id"] for each in (await client.library.get())["folders"]] == [added["folder_id"]]
    assert "May" in str((await client.library.search("beans", limit=1))["data"])
    (documents / "peas.md").write_text("# Peas\n\nPeas are sown in March.\n", encoding="utf-8")
    await client.library.rescan()
    assert "March" in str(await client.library.search("peas"))
    assert (await client.library.remove_folder(added["folder_id"]))["folder_id"] == added["folder_id"]


async def drive_home(client: Dwell) -> None:
    home = await client.home.get()
    light = next(each for each in home["entities"] if each["domain"] == "light" and each["state"] == "off")
    async for current in client.home.follow():
        state = next(each["state"] for each in current["entities"] if each["entity_id"] == light["entity_id"])
        if state == "on":
            break
        await client.chat(f"turn on {light['name']}", session="home")


async def drive_schedules(client: Dwell, program: Program) -> None:
    schedules, alerts = client.schedules, client.alerts
    times = await schedules.preview({"kind": "cron", "expression": "0 7 * * 1-5"}, zone="Europe/Berlin", runs=3)
    assert (times.zone, len(times.runs)) == ("Europe/Berlin", 3)
    waits = await schedules.create(
        {"do": "remind", "text": "the parcel is here"},
        {"kind": "event", "trigger": {"on": "hook"}},
        limits={"gap_ms": 0, "hourly_max": 5},
    )
    assert (await schedules.hook(waits.schedule_id))["secret"].startswith("whsec_")
    await schedules.cancel(waits.schedule_id)
    followed = alerts.follow()
    first = asyncio.ensure_future(anext(followed))
    # It asks to follow before the schedule is made, on the same connection.
    await asyncio.sleep(0)
    pizza = await schedules.create(
        {"do": "remind", "text": "take the pizza out"},
        {"kind": "after", "after_ms": 500},
        session="kitchen",
        name="pizza",
        catch_up={"policy": "run_late", "window_ms": 60_000},
    )
    raised = await first
    assert (raised.kind, raised.text, raised.schedule_id) == ("reminder", "take the pizza out", pizza.schedule_id)
    # A restart repeats nothing, and what is raised meanwhile is not lost.
    again = await schedules.snooze(pizza.schedule_id, after_ms=1_500)
    program.kill()
    program.start()
    assert (await anext(followed)).schedule_id == again.schedule_id
    await followed.aclose()  # type: ignore[attr-defined]
    assert (await alerts.seen(raised.alert_id)).seen
    assert [each.seen for each in (await alerts.list(limit=2)).data] == [False, True]

    daily = await schedules.create(
        {"do": "turn", "message": "how are you?"},
        {"kind": "cron", "expression": "0 7 * * *"},
        runs_max=3,
        idempotency_key="daily",
    )
    assert len(daily.upcoming) == 3
    assert (await schedules.pause(daily.schedule_id)).status == "paused"
    assert (await schedules.resume(daily.schedule_id)).status == "active"
    changed = await schedules.update(daily.schedule_id, name="daily", zone="Asia/Tokyo")
    assert (changed.name, changed.planned_in) == ("daily", "Asia/Tokyo")
    await schedules.run(daily.schedule_id)
    with pytest.raises(dwell.Refused, match="does not wait"):
        await schedules.approve(daily.schedule_id)
    assert [each.name for each in (await schedules.list()).data] == ["daily"]
    assert (await schedules.cancel(daily.schedule_id)).status == "cancelled"
    assert (await schedules.get(daily.schedule_id)).runs == 1
    ended = await schedules.list(session="kitchen", ended=True)
    assert {each.status for each in ended.data} == {"ended"}


async def drive_server(client: Dwell) -> None:
    server = client.server
    await server.ping()
    assert (await server.health())["status"] == (await server.ready())["status"] == "ok"
    assert (await server.openapi())["info"]["title"] == "Dwell"
    assert "openai/test" in str(await server.models())
    assert "openai/test" in str(await server.refresh_models())
    tried = await server.try_provider("openai", model="test")
    assert tried["model"] == "openai/test"
    assert (await server.put_provider("ollama", address="http://127.0.0.1:9"))["overridden"] == []
    assert (await server.put_default_model("openai/test", fallbacks=[]))["page"]["default"] == "openai/test"
    assert "127.0.0.1:9" not in str((await server.remove_provider("ollama"))["page"]["providers"])
    assert "calculator" in [tool["name"] for tool in (await server.tools())["data"]]
    assert (await server.stats())["totals"]["turns"] > 5
    assert any(setting["key"] == "agents.max" for setting in (await server.config())["data"])
    assert isinstance((await server.nodes())["data"], list)
    assert (await server.sweep())["artifacts"] >= 0
    assert (await server.ticket())["ticket"]
    assert (await server.invitation())["invitation"]


async def drive_worker(client: Dwell, model: ScriptedModel) -> None:
    @dwell.tool
    async def report(context: dwell.ToolContext) -> str:
        """Report something."""
        context.progress("half of it", 0.5)
        return "reported"

    model.rule = calls_then_repeats(("report", {}))
    async with client.worker([report], name="reporter") as worker:
        assert worker.serving == ["report"]
        events = [event async for event in client.stream("report, please", session="served")]
    assert isinstance(events[-1], dwell.Final)
    assert "reported" in events[-1].message
    assert "half of it" in [event.message for event in events if isinstance(event, dwell.Progress)]


async def drive_background(client: Dwell, model: ScriptedModel) -> None:
    """A turn in the background is listed, paused and resumed."""
    model.rule = lambda _: words("slow and steady " * 200, pause_s=0.02)
    begun = await client.begin("take your time", session="long work")
    assert begun.agent_id.startswith("background-")
    assert begun.turn_id in [turn.turn_id for turn in await client.background_turns(limit=10)]
    paused = await client.pause(begun.turn_id)
    assert (paused.turn_id, paused.status) == (begun.turn_id, "paused")
    model.rule = lambda _: words("All done.")
    await client.resume(begun.turn_id)
    assert (await client.attach(begun.turn_id).result()).message.split() == ["All", "done."]
    ended = {turn.turn_id: turn for turn in await client.background_turns(ended=True)}
    assert ended[begun.turn_id].status == "completed"


async def drive_resume(client: Dwell, program: Program, model: ScriptedModel) -> None:
    """A turn that the server leaves alone after a restart goes on when it is resumed."""
    model.rule = lambda _: words("slow and steady " * 200, pause_s=0.02)
    await client.start_session("patient", policy={"on_restart": "wait"})
    stream = client.stream("take your time", session="patient")
    async for event in stream:
        if isinstance(event, dwell.Token):
            program.kill()
            model.rule = lambda _: words("And done.")
            program.start()
            break
    assert stream.turn_id is not None
    async for event in stream:
        if isinstance(event, dwell.Status) and event.status in ("interrupted", "waiting"):
            await client.resume(stream.turn_id)
            break
    assert (await stream.result()).message.split() == ["And", "done."]
