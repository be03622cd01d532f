/** Tokens of the settings: what the list says of each. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeToken, type TokenView } from "../src/settings/tokens-store.ts";

const view: TokenView = {
  token_id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  name: "tablet",
  owner: "owner",
  scope: "talk",
  created_at: "2026-01-01T00:00:00Z",
};
const now = Date.parse("2026-02-01T00:00:00Z");
const plain = (at: string) => at.slice(0, 10);

test("a token says when it was used and until when it is valid", () => {
  assert.equal(describeToken(view, plain, now), "never used");
  const used = { ...view, last_used_at: "2026-01-31T10:00:00Z" };
  assert.equal(describeToken(used, plain, now), "last used 2026-01-31");
  assert.equal(
    describeToken({ ...used, expires_at: "2026-03-01T00:00:00Z" }, plain, now),
    "last used 2026-01-31, until 2026-03-01",
  );
  assert.equal(
    describeToken({ ...view, expires_at: "2026-01-15T00:00:00Z" }, plain, now),
    "never used, ended 2026-01-15",
  );
});
