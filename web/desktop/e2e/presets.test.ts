/** Prompts and personas, and the browser's speech. */
import assert from "node:assert/strict";
import { ask, message, sessionOf, turnOf } from "./support/chat.ts";
import { until } from "./support/rest.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests();

type Settings = { settings: { model?: string; preferences?: Record<string, unknown>; policy?: { allow?: string[] } } };

sharedTest("prompts ask for their variables, personas start a session, and other browsers have both", async (visit) => {
  const page = await visit.open();
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Prompts and personas" }).click();
  await dialog.getByRole("button", { name: "New prompt" }).click();
  await dialog.getByLabel("Title").fill("Translate");
  await dialog.getByLabel("Prompt", { exact: true }).fill("Say {{words}} in {{language}}");
  await dialog.getByText("Asks for: words, language").waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: /^Translate/ }).waitFor();
  await dialog.getByRole("tab", { name: "Personas" }).click();
  await dialog.getByRole("button", { name: "New persona" }).click();
  await dialog.getByLabel("Name").fill("Chef");
  await dialog.getByLabel("Instructions").fill("Answer as a cook.");
  await dialog.getByLabel("Model").selectOption("openai/other");
  await dialog.getByLabel("All tools").uncheck();
  await dialog.getByLabel("Calculator").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: /^Chef/ }).waitFor();
  // Another browser of the same owner.
  const other = await visit.open();
  const there = other.getByRole("dialog");
  await other.getByRole("button", { name: "Prompts and personas" }).click();
  await there.getByRole("button", { name: /^Translate/ }).click();
  await there.getByLabel("words").fill("good morning");
  await there.getByLabel("language").fill("Dutch");
  await there.getByRole("button", { name: "Insert" }).click();
  assert.equal(await message(other).inputValue(), "Say good morning in Dutch");
  await dialog.getByRole("button", { name: /^Chef/ }).click();
  const { settings } = await visit.server.rest.get<Settings>(`/api/v1/sessions/${await sessionOf(page)}`);
  assert.equal(settings.model, "openai/other");
  assert.equal(settings.preferences?.["instructions"], "Answer as a cook.");
  assert.deepEqual(settings.policy?.allow, ["calculator"]);
  await page.locator(".talk-head").getByText("Chef").waitFor();
  await ask(page, "hello cook");
  assert.match(visit.model.requests.at(-1)?.whole ?? "", /Answer as a cook\./);
  await page.getByRole("button", { name: "Prompts and personas" }).click();
  await dialog.getByRole("button", { name: "Delete Translate" }).click();
  await dialog.getByRole("button", { name: /^Translate/ }).waitFor({ state: "detached" });
});

sharedTest(
  "speech of the browser writes messages and reads answers, and is hidden where there is none",
  async (visit) => {
    const context = await visit.signedInContext();
    await context.addInitScript(() => {
      // Headless browsers have neither a microphone nor voices.
      class FakeRecognition {
        onresult: ((event: unknown) => void) | undefined;
        onend: (() => void) | undefined;
        start() {
          setTimeout(
            () => this.onresult?.({ results: [[{ transcript: "reckon by " }], [{ transcript: "voice" }]] }),
            10,
          );
        }
        stop() {
          this.onend?.();
        }
        abort() {}
      }
      const spoken: string[] = [];
      const voices = {
        speak: ({ text }: { text: string }) => void spoken.push(text),
        cancel: () => spoken.push("(quiet)"),
      };
      Object.defineProperty(globalThis, "speechSynthesis", { value: voices });
      Object.assign(globalThis, {
        webkitSpeechRecognition: FakeRecognition,
        SpeechRecognition: FakeRecognition,
        spoken,
      });
    });
    const page = await visit.open({ context });
    await page.getByRole("button", { name: /^Voice input/ }).click();
    await until(
      () => message(page).inputValue(),
      (text) => text === "reckon by voice",
    );
    await page.getByRole("button", { name: "Stop voice input" }).click();
    await page.getByRole("button", { name: /^Voice input/ }).waitFor();
    await message(page).press("Enter");
    const turn = turnOf(page, "reckon by voice");
    await turn.hover();
    await turn.getByRole("button", { name: "Read aloud" }).click();
    await turn.getByRole("button", { name: "Stop reading" }).click();
    assert.deepEqual(await page.evaluate(() => Reflect.get(globalThis, "spoken") as string[]), [
      "It is 42.",
      "(quiet)",
    ]);
    const bare = await visit.signedInContext();
    await bare.addInitScript(() => {
      for (const name of ["webkitSpeechRecognition", "SpeechRecognition", "speechSynthesis"])
        Reflect.deleteProperty(globalThis, name);
    });
    const silent = await visit.open({ context: bare, at: new URL(page.url()).hash });
    await turnOf(silent, "reckon by voice").getByRole("button", { name: "Copy answer" }).waitFor();
    assert.equal(await silent.getByRole("button", { name: /Voice input|Read aloud/ }).count(), 0);
  },
);
