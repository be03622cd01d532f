/** Routes: parsing any address, and writing links. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hrefOf, type Place, read } from "../src/places.ts";

test("a route names a view, a session and a detail", () => {
  const check = (hash: string, expected: Place) => {
    const { view, session, detail, broken } = read(hash);
    assert.deepEqual(
      { view, session, detail, broken },
      { session: undefined, detail: undefined, broken: undefined, ...expected },
    );
  };
  check("", { view: "talk" });
  check("#", { view: "talk" });
  check("#/", { view: "talk" });
  check("#main", { view: "talk" });
  check("#/memory", { view: "memory" });
  check("#/desktop/S1", { view: "desktop", session: "S1" });
  check("#/talk/S1/T1", { view: "talk", session: "S1", detail: "T1" });
  check("#/memory//facts", { view: "memory", detail: "facts" });
  check("#/talk/100%25", { view: "talk", session: "100%" });
  check("#/talk/a%2Fb", { view: "talk", session: "a/b" });
});

test("an address that leads nowhere is kept as it was written, and nothing throws", () => {
  for (const hash of ["#/talk/100%", "#/%", "#/talk/%zz", "#/memory/S1/%e0%a4", "#/cellar", "#/Talk", "#//S1"]) {
    assert.deepEqual(read(hash), { view: "talk", broken: hash });
  }
});

test("every link is read back as it was meant", () => {
  const places: Place[] = [
    { view: "home" },
    { view: "talk", session: "100%" },
    { view: "journal", session: "a/b#c?d", detail: "é 漢" },
    { view: "memory", detail: "facts" },
  ];
  for (const place of places) {
    const { view, session, detail } = read(hrefOf(place));
    assert.deepEqual({ session: undefined, detail: undefined, ...place }, { view, session, detail });
  }
});
