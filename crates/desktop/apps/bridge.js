// What every app speaks with the page around it through. The frame has no origin of its own and no network; this is
// all it hears and all it can say. Every message is an object with `dwell: 1` and a `type`.
//
// page to app   hello {window_id, token, params}          who you are; may come again
//               restore {commands: [{name, arguments}]}   do this silently: you were there before, or another tab did it
//               request {request_id, request}             {type: "query", key} or {type: "command", name, arguments}
// app to page   ready {manifest}                          the answer to hello
//               response {request_id, value | error}      the answer to a request; the same request gets the same answer
//               did {name, arguments}                     I am now where this command would bring me; keep it
//               interaction {text}                        what the user did, in words
//
// What the app says carries `window_id` and `token` from hello.
//
// An app calls `dwell.begin({hello(params), state: {key() {…}}, commands: {name(arguments) {…}}})` once, and later
// `dwell.did(name, arguments)` and `dwell.interaction(text)`. A command that cannot be done throws an Error. Its manifest
// is the JSON in the element `#manifest`.
"use strict";

globalThis.dwell = (() => {
  const VERSION = 1;
  const ANSWERS_MAX = 64;

  let app = null;
  let me = null;
  let pageOrigin = null;
  // While a restore is going on, nothing is said; while a request is, what was done is said after the answer.
  let isSilent = false;
  let held = null;
  const answers = new Map();

  function post(message) {
    if (!me) return;
    const { window_id, token } = me;
    window.parent.postMessage({ dwell: VERSION, window_id, token, ...message }, pageOrigin);
  }

  function say(message) {
    if (isSilent) return;
    if (held) held.push(message);
    else post(message);
  }

  function manifest() {
    return JSON.parse(document.getElementById("manifest").textContent);
  }

  function own(table, name, what) {
    if (typeof name === "string" && Object.hasOwn(table, name)) return table[name];
    throw new Error(`there is no ${what} ${JSON.stringify(name)}; there are ${Object.keys(table).join(", ")}`);
  }

  function isPlain(value) {
    return value !== null && typeof value === "object" && !Array.isArray(value);
  }

  function run(command) {
    const args = isPlain(command.arguments) ? command.arguments : {};
    return own(app.commands, command.name, "command")(args);
  }

  function hello(message, origin) {
    const isFirst = me === null;
    me = { window_id: message.window_id, token: message.token };
    // A page without an origin can only be addressed by `*`.
    pageOrigin = origin === "null" || origin === "" ? "*" : origin;
    if (isFirst && app.hello) silently(() => app.hello(isPlain(message.params) ? message.params : {}));
    post({ type: "ready", manifest: manifest() });
  }

  function silently(action) {
    isSilent = true;
    try {
      action();
    } catch (error) {
      // One thing that cannot be done again must not keep the rest from coming back.
      console.warn(error);
    } finally {
      isSilent = false;
    }
  }

  function restore(message) {
    const commands = Array.isArray(message.commands) ? message.commands : [];
    for (const command of commands) if (isPlain(command)) silently(() => run(command));
  }

  function answer(message) {
    const { request_id, request } = message;
    if (typeof request_id !== "string" || !isPlain(request)) return;
    held = [];
    if (!answers.has(request_id)) {
      answers.set(request_id, answerTo(request));
      if (answers.size > ANSWERS_MAX) answers.delete(answers.keys().next().value);
    }
    const did = held;
    held = null;
    post({ type: "response", request_id, ...answers.get(request_id) });
    did.forEach(post);
  }

  function answerTo(request) {
    try {
      if (request.type === "query") return { value: own(app.state, request.key, "state")() };
      if (request.type === "command") return { value: run(request) ?? null };
      throw new Error("a request is a query or a command");
    } catch (error) {
      return { error: String(error?.message ?? error) };
    }
  }

  window.addEventListener("message", (event) => {
    // Only messages of the page around this frame are read.
    if (!app || event.source !== window.parent) return;
    const message = event.data;
    if (!isPlain(message) || message.dwell !== VERSION) return;
    if (message.type === "hello" && typeof message.window_id === "string") hello(message, event.origin);
    else if (!me) return;
    else if (message.type === "restore") restore(message);
    else if (message.type === "request") answer(message);
  });

  return {
    begin(described) {
      app = described;
    },
    did(name, args) {
      say({ type: "did", name, arguments: args });
    },
    interaction(text) {
      say({ type: "interaction", text });
    },
  };
})();
