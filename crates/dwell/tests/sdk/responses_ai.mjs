// The AI SDK with its default OpenAI provider, which speaks the Responses API.
//
// Usage: responses_ai.mjs BASE_URL KEY. Exit code 0 if all is well, else 1. It is run in a folder in which `ai`, `@ai-sdk/openai` and
// `zod` are installed. What the model behind Dwell has to do is in `crates/dwell/tests/it/responses/sdk.rs`.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const installed = createRequire(join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const { generateText, Output, stepCountIs, streamText, tool } = await load("ai");
const { createOpenAI } = await load("@ai-sdk/openai");
const { z } = await load("zod");

const [baseURL, apiKey] = process.argv.slice(2);
const model = createOpenAI({ baseURL, apiKey })("dwell");
const weather = { Oslo: "snow", Rome: "sun" };

function check(isWell, why) {
  if (!isWell) throw new Error(why);
}

function tools(asked) {
  return {
    get_weather: tool({
      description: "The weather in a city.",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        asked.push(city);
        return weather[city];
      },
    }),
  };
}

const prompt = "Which weather do Oslo and Rome have?";

async function whole() {
  const asked = [];
  const result = await generateText({ model, prompt, tools: tools(asked), stopWhen: stepCountIs(3), maxRetries: 0 });
  check(result.text === "It is snow and sun.", `the results are not in the answer: ${result.text}`);
  check(asked.join() === "Oslo,Rome" && result.steps.length === 2, `two calls are expected, not ${asked}`);
  check(result.totalUsage.totalTokens > 0, "nothing is said of what it took");
  const messages = [{ role: "user", content: prompt }, ...result.response.messages];
  messages.push({ role: "user", content: "Thanks." });
  const thanks = await generateText({ model, messages, tools: tools(asked), maxRetries: 0 });
  check(thanks.text === "You said: Thanks.", `references to items are not read: ${thanks.text}`);
}

async function streamed() {
  const asked = [];
  const result = streamText({
    model,
    prompt,
    tools: tools(asked),
    stopWhen: stepCountIs(3),
    maxRetries: 0,
    providerOptions: { openai: { store: false } },
    onError: () => {},
  });
  for await (const part of result.fullStream) {
    if (part.type === "error") throw part.error;
  }
  const steps = await result.steps;
  check(steps[0].text === "Let me see." && steps[0].finishReason === "tool-calls", `not ${steps[0].text}`);
  check((await result.text) === "It is snow and sun.", `the results are not in the answer: ${await result.text}`);
  check((await result.finishReason) === "stop", `it ended with ${await result.finishReason}`);
}

async function structured() {
  const schema = z.object({ city: z.string(), country: z.string() });
  const output = Output.object({ schema });
  const result = await generateText({ model, prompt: "What is the capital of Norway?", output, maxRetries: 0 });
  check(result.output.city === "Oslo", `not ${JSON.stringify(result.output)}`);
}

async function followed() {
  const first = await generateText({ model, prompt: "My name is Ada.", maxRetries: 0 });
  const previousResponseId = first.providerMetadata.openai.responseId;
  const result = await generateText({
    model,
    prompt: "What is my name?",
    maxRetries: 0,
    providerOptions: { openai: { previousResponseId } },
  });
  check(result.text === "Ada.", `what was said before is not known: ${result.text}`);
}

try {
  for (const part of [whole, streamed, structured, followed]) await part();
} catch (error) {
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(1);
}
