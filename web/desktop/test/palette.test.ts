/** The command palette: what is found, and the keys that work everywhere. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { found, scoreOf, stepped } from "../src/palette/match.ts";
import { isMacOf, keysOf, type KeyPress, shortcutOf } from "../src/palette/shortcuts.ts";

const COMMANDS = [
  { title: "New chat", words: "conversation session start" },
  { title: "Next session", words: "switch" },
  { title: "Chat" },
  { title: "Délai d'été", words: "zone" },
  { title: "Dark theme", words: "colour" },
];

test("commands are found by their words, by initials, by other words, without case and accents", () => {
  const titles = (query: string) => found(COMMANDS, query).map(({ title }) => title);
  assert.deepEqual(
    titles(""),
    COMMANDS.map(({ title }) => title),
  );
  assert.deepEqual(titles("CHAT"), ["Chat", "New chat"]);
  assert.deepEqual(titles("nc"), ["New chat"]);
  assert.deepEqual(titles("session"), ["Next session", "New chat"]);
  assert.deepEqual(titles("ete"), ["Délai d'été"]);
  assert.deepEqual(titles("theme dark"), ["Dark theme"]);
  assert.deepEqual(titles("dark session"), []);
  assert.ok(scoreOf({ title: "Chat" }, "chat") > scoreOf({ title: "Chatter" }, "chat"));
});

test("the choice starts again at the end of the list", () => {
  assert.deepEqual([stepped(0, -1, 3), stepped(2, 1, 3), stepped(0, 1, 0)], [2, 0, 0]);
});

test("keys mean the same with Ctrl and, on a Mac, with Command", () => {
  const none: KeyPress = { key: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  const ctrl = (key: string, more: Partial<KeyPress> = {}) =>
    shortcutOf({ ...none, key, ctrlKey: true, ...more }, false);
  assert.equal(ctrl("k"), "palette");
  assert.equal(ctrl("K"), "palette", "with caps lock");
  assert.equal(ctrl("k", { shiftKey: true }), undefined);
  assert.equal(ctrl("O", { shiftKey: true }), "new");
  assert.equal(ctrl("."), "stop");
  // On a German keyboard, the slash is on Shift and 7.
  assert.equal(ctrl("/", { shiftKey: true }), "keys");
  assert.equal(ctrl("k", { altKey: true }), undefined, "AltGr");
  assert.equal(shortcutOf({ ...none, key: "k", metaKey: true }, true), "palette");
  assert.equal(shortcutOf({ ...none, key: "k", ctrlKey: true }, true), undefined, "deletes to the end of the line");
  assert.equal(shortcutOf({ ...none, key: "PageDown", altKey: true }, false), "next");
  assert.equal(shortcutOf({ ...none, key: "k" }, false), undefined);
  assert.deepEqual(keysOf("palette", true), ["⌘", "K"]);
  assert.deepEqual(keysOf("new", false), ["Ctrl", "Shift", "O"]);
  assert.deepEqual(["MacIntel", "iPhone", "Linux x86_64", "Win32"].map(isMacOf), [true, true, false, false]);
});
