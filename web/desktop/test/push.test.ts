/** Notifications while no page is open: pushed alerts, kept files, and names of devices. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceName } from "../src/push/name.ts";
import { filesOf, isHashed, noticeOf } from "../src/worker/alerts.ts";

const ALERT = { alert_id: "L1", session_id: "S 1", at: "2026-11-18T10:00:00Z", kind: "answer", title: "Done" };

test("a pushed alert leads to its turn, its schedule or its session", () => {
  const notice = (more: object) => noticeOf(JSON.stringify({ ...ALERT, ...more }));
  assert.deepEqual(notice({ turn_id: "T1", schedule_id: "P1", text: "42" }), {
    title: "Done",
    body: "42",
    tag: "L1",
    href: "#/talk/S%201/T1",
  });
  assert.equal(notice({ schedule_id: "P1" }).href, "#/planned//P1");
  assert.equal(notice({ approval_id: "A1" }).href, "#/talk/S%201");
});

test("a push that cannot be read shows a notification too, since browsers demand one", () => {
  for (const text of [undefined, "", "{", "null", "[]", '{"title": 5}', '{"alert_id": "L1"}']) {
    assert.equal(noticeOf(text).title, "Dwell", text);
  }
});

test("the page's files are found in its HTML, and only hashed ones are served from the cache first", () => {
  const html = `<link href="./assets/index-Ab_9-xYz.css"><script src="./assets/index-Ab_9-xYz.js"></script>
    <link rel="apple-touch-icon" href="./assets/icon-180.png"><link href="./assets/index-Ab_9-xYz.css">`;
  assert.deepEqual(filesOf(html), ["assets/index-Ab_9-xYz.css", "assets/index-Ab_9-xYz.js", "assets/icon-180.png"]);
  assert.ok(isHashed("assets/inter-latin-wght-normal-Dx4kXJAl.woff2"));
  for (const path of [
    "assets/licences.txt",
    "index.html",
    "api/v1/stats",
    "assets/-12345678.js/x",
    "assets/icon-180.png",
  ])
    assert.ok(!isHashed(path), path);
});

test("a device is called by its browser and its system", () => {
  const name = (userAgent: string) => deviceName({ userAgent });
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36";
  assert.equal(name(chrome), "Chrome on Linux");
  assert.equal(name(`${chrome} Edg/142.0`), "Edge on Linux");
  assert.equal(name("Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0"), "Firefox on Android");
  const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1";
  assert.equal(name(phone), "Safari on iPhone");
  assert.equal(name("curl/8"), "A browser");
});
