"""Starts the model's server and Dwell, talks to Dwell over REST, and says what it saw. Started by real-model.sh."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

ENDS = ("completed", "failed", "cancelled", "expired")
LONG = "The old mill by the river turns slowly while the children of the village play in the tall grass. "

flags = argparse.ArgumentParser()
for flag in ("here", "dir", "dwell", "weights"):
    flags.add_argument("--" + flag, required=True)
for flag in ("port", "model-port", "context", "output"):
    flags.add_argument("--" + flag, type=int, required=True)
given = flags.parse_args()
api, model = f"http://127.0.0.1:{given.port}", f"http://127.0.0.1:{given.model_port}"
data, requests = f"{given.dir}/data", f"{given.dir}/requests.jsonl"
started, bad = [], []


def check(what, held, more=""):
    if not held:
        bad.append(what)
    print(f"  {'ok  ' if held else 'FAIL'} {what}{': ' + str(more) if more != '' else ''}", flush=True)


def fetch(address, body=None, headers=None, timeout=60):
    asked = urllib.request.Request(address, None if body is None else json.dumps(body).encode(),
                                   {"content-type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(asked, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            return error.code, json.loads(text)
        except ValueError:
            return error.code, {"error": {"message": text.decode("utf-8", "replace")}}


def call(path, body=None):
    with open(f"{data}/token", encoding="utf-8") as file:
        return fetch(api + path, body, {"authorization": "Bearer " + file.read().strip()})


def start(command, log, until, environment=None):
    with open(f"{given.dir}/{log}", "ab") as file:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                   env=environment)
    started.append(process)
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"{command[0]} ended at once; see {log}")
        try:
            with urllib.request.urlopen(until, timeout=2):
                return process
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{command[0]} did not answer within a minute; see {log}")


def start_model(*template):
    script = f"{given.here}/model-server.py"
    return start([sys.executable, script, given.weights, str(given.model_port), str(given.context), requests, "smollm2",
                  str(given.output), *template], "model.log", model + "/v1/models")


def start_dwell():
    # What the caller's own environment sets for Dwell and for providers must not leak in.
    clean = {k: v for k, v in os.environ.items()
             if not k.startswith(("DWELL_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "GOOGLE_", "AZURE_", "OPENROUTER_", "OLLAMA_"))}
    clean |= {"OPENAI_BASE_URL": model + "/v1", "DWELL_MODEL": "openai/smollm2"}
    open(f"{given.dir}/none.toml", "a").close()
    return start([given.dwell, "serve", "--data", data, "--listen", f"127.0.0.1:{given.port}", "--config",
                  f"{given.dir}/none.toml"], "dwell.log", api + "/healthz", clean)


def stop(process, how=signal.SIGTERM):
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wire():
    """What the model was asked and what it answered, in order."""
    with open(requests, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [line for line in lines if "chat/completions" in line.get("asked", line.get("answered", ""))]


def asked():
    return [line["body"] for line in wire() if "asked" in line]


def answered():
    """The last answer's tokens and why it ended, as the model's server told them."""
    told = next((line.get("text", "") for line in reversed(wire()) if "answered" in line), "")
    usage, why = {}, None
    for line in told.splitlines():
        if line.startswith("data: {"):
            try:
                chunk = json.loads(line[6:])
            except ValueError:
                continue  # the log keeps the end of a long answer only
            usage = chunk.get("usage") or usage
            why = next((c["finish_reason"] for c in chunk.get("choices", []) if c.get("finish_reason")), why)
    return usage, why


def begin(session, message):
    status, view = call(f"/api/v1/sessions/{session}/turns", {"message": message})
    assert status < 300, (status, view)
    return view["turn_id"]


def end(turn, seconds=300):
    until = time.time() + seconds
    while True:
        _, view = call(f"/api/v1/turns/{turn}?wait_ms=20000")
        if view["status"] in ENDS or time.time() > until:
            return view


def words(turn, at_least, seconds=240):
    """The turn's text as soon as it has some."""
    until = time.time() + seconds
    while True:
        _, view = call(f"/api/v1/turns/{turn}")
        if len(view.get("text") or "") >= at_least or view["status"] in ENDS or time.time() > until:
            return view.get("text") or ""
        time.sleep(0.05)


def events(path):
    found = []
    while True:
        page = call(f"{path}?after={found[-1]['seq'] if found else 0}&limit=1000")[1]["data"]
        found += page
        if not page:
            return found


def new_session():
    # A busy machine reads slowly: five minutes for a turn.
    status, view = call("/api/v1/sessions", {"budgets": {"max_duration_ms": 300_000}})
    assert status < 300, (status, view)
    return view["session_id"]


def five_turns():
    print("\nFive turns of one conversation", flush=True)
    session, said = new_session(), []
    for number, question in enumerate(("My name is Tom and I live in Lyon.", "Name one animal of the forest.",
                                       "Name another one.", "Which colour has snow?", "What did I ask you first?"), 1):
        before, began = len(asked()), time.time()
        view = end(begin(session, question))
        took = time.time() - began
        usage, why = answered()
        told = [e["data"] for e in events(f"/api/v1/turns/{view['turn_id']}/events") if e["type"] == "memory.used"]
        sent = asked()[before:]
        print(f"  {number}. {took:.1f} s, first word {view.get('stats', {}).get('first_word_ms')} ms, {len(sent)} request(s); prompt"
              f" {usage.get('prompt_tokens')} tokens, {usage.get('prompt_tokens_details', {}).get('cached_tokens')} of them"
              f" cached; Dwell counted {told[-1]['tokens'] if told else None} of {told[-1]['tokens_max'] if told else None};"
              f" {len(sent[-1].get('tools', [])) if sent else 0} tools sent; ended: {why}", flush=True)
        print(f"     {question} -> {view.get('text', '')[:90]!r}", flush=True)
        check("it completed", view["status"] == "completed", "" if view["status"] == "completed" else view.get("error") or view["status"])
        check("the model was asked", bool(sent))
        if said and sent:
            spoken = [m.get("content") or "" for m in sent[0]["messages"]]
            check("the exchange before is in the request",
                  any(said[-1][0] in s for s in spoken[:-1]) and any(said[-1][1] in s for s in spoken[:-1]))
        if why == "length":
            check("an answer cut by length says so", bool((view.get("response") or {}).get("stop_reason")))
        if told and usage:
            counted = told[-1]["tokens"] / max(1, usage["prompt_tokens"])
            check("tokens counted and tokens sent agree within a quarter", 0.75 < counted < 1.25, f"{counted:.1f} times")
        said.append((question, view.get("text", "")))
    check("the window is taken as what the server has", told and told[-1]["tokens_max"] <= given.context,
          told and told[-1]["tokens_max"])
    numbers = [e["seq"] for e in events(f"/api/v1/sessions/{session}/events")]
    check("events are numbered without gaps", numbers == list(range(1, len(numbers) + 1)))
    return session


def cancelled(session):
    print("\nCancel in the middle of an answer", flush=True)
    turn = begin(session, "Tell me a very long story about the sea.")
    words(turn, 20)
    status, view = call(f"/api/v1/turns/{turn}/cancel", {})
    at = time.time()
    check("the turn is cancelled", end(turn)["status"] == "cancelled", view.get("status"))
    last = wire()[-1]
    while "asked" in last and time.time() < at + 10:
        time.sleep(0.1)
        last = wire()[-1]
    check("the model's server was left at once", last.get("state") == "the caller left", f"{last['at'] - at:.2f} s")


def killed(session, dwell):
    print("\nkill -9 in the middle of an answer", flush=True)
    turn = begin(session, "Write a poem about the rain in ten lines.")
    seen = words(turn, 20)
    check("words were there before the kill", bool(seen), len(seen))
    stop(dwell, signal.SIGKILL)
    dwell = start_dwell()
    view = end(turn)
    check("the turn completed after the restart", view["status"] == "completed", f"attempt {view.get('attempts')}")
    told, text = events(f"/api/v1/turns/{turn}/events"), []
    for event in told:
        if event["type"] == "turn.status" and event["data"]["status"] == "resumed":
            del text[event["data"]["text_offset"]:]
        if event["type"] == "chat.token":
            text += event["data"]["delta"][max(0, len(text) - event["data"]["offset"]):]
    check("a follower's text is the answer", "".join(text) == view.get("text"))
    numbers = [e["seq"] for e in events(f"/api/v1/sessions/{session}/events")]
    check("the session's events are numbered without gaps", numbers == list(range(1, len(numbers) + 1)), len(numbers))
    view = end(begin(session, "What was the poem about?"))
    spoken = [m.get("content") or "" for m in asked()[-1]["messages"]]
    check("the next question is answered, with the poem before it",
          view["status"] == "completed" and any("".join(text) in s for s in spoken[:-1]), view["status"])
    return dwell


def too_long():
    print("\nA message that the model cannot read", flush=True)
    session = new_session()
    view = end(begin(session, "Summarise: " + LONG * (given.context // 15)))
    code = (view.get("error") or {}).get("code")
    check("it fails and says why", view["status"] == "failed" and code == "model_context_exceeded", code or view["status"])
    view = end(begin(session, "Say hello."))
    check("the next question is answered all the same", view["status"] == "completed",
          (view.get("error") or {}).get("code", view["status"]))
    spoken = [m.get("content") or "" for m in asked()[-1]["messages"] if m["role"] == "user"]
    check("it is not joined to the one that failed", LONG not in spoken[-1])


def tools(process):
    print("\nThe same model with a template that has tools", flush=True)
    stop(process)
    start_model(f"{given.here}/tools.jinja")
    status, models = call("/api/v1/models/refresh", {})
    check("it is seen when asked again", status == 200 and models["models"][0]["tools"] == {"value": True, "source": "asked"},
          models if status != 200 else models["models"][0].get("tools"))
    # llama.cpp refuses the whole request where it cannot make a grammar of one schema.
    view = end(begin(new_session(), "Which tools for tables, reports and lights do you have?"))
    sent = asked()[-1]
    check("tools are sent as such, and their schemas are taken", bool(sent.get("tools")) and view["status"] == "completed",
          f"{len(sent.get('tools', []))} tools, {view['status']}")


def main():
    shutil.rmtree(data, ignore_errors=True)
    open(requests, "w").close()
    server = start_model()
    dwell = start_dwell()
    _, models = fetch(model + "/v1/models")
    print(f"model: SmolLM2-135M-Instruct Q4_1, window {models['data'][0]['meta']['n_ctx']}, at most {given.output} tokens an answer")
    print("Dwell lists:", call("/api/v1/models")[1])
    session = five_turns()
    cancelled(session)
    dwell = killed(session, dwell)
    too_long()
    tools(server)
    stop(dwell)
    print(f"\n{'what must hold held' if not bad else 'did not hold: ' + '; '.join(bad)}")


def leave(*_):
    sys.exit(124)


signal.signal(signal.SIGTERM, leave)
try:
    main()
finally:
    for one in started:
        stop(one, signal.SIGKILL)
sys.exit(1 if bad else 0)
