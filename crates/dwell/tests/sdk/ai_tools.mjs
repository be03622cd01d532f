// The AI SDK as a client of Dwell: a streamed chat with tools that it runs itself, and memory across processes.
//
// Usage: ai_tools.mjs BASE_URL KEY PHASE, where PHASE is `tools`, `tell` or `know`. Exit code 0 if all is well, else 1. It is run
// in a folder in which `ai`, `@ai-sdk/openai-compatible` and `zod` are installed. What the model behind Dwell has to do is the same as in
// `openai_tools.py`.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const installed = createRequire(join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const { generateText, stepCountIs, streamText, tool } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { z } = await load("zod");

const [baseURL, apiKey, phase] = process.argv.slice(2);
const weather = { Oslo: "snow", Rome: "sun" };

function check(isWell, why) {
  if (!isWell) throw new Error(why);
}

function model(headers = {}) {
  return createOpenAICompatible({ name: "dwell", baseURL, apiKey, headers, includeUsage: true })("dwell");
}

const phases = {
  async tools() {
    const asked = [];
    const result = streamText({
      model: model(),
      prompt: "Which weather do Oslo and Rome have?",
      stopWhen: stepCountIs(3),
      maxRetries: 0,
      onError: () => {},
      tools: {
        get_weather: tool({
          description: "The weather in a city.",
          inputSchema: z.object({ city: z.string() }),
          execute: async ({ city }) => {
            asked.push(city);
            return weather[city];
          },
        }),
      },
    });
    for await (const part of result.fullStream) {
      if (part.type === "error") throw part.error;
    }
    const [steps, words] = [await result.steps, await result.text];
    check(asked.join() === "Oslo,Rome", `two calls are expected, not ${asked}`);
    check(steps.length === 2 && steps[0].finishReason === "tool-calls", `two steps are expected, not ${steps.length}`);
    check(words.includes("snow") && words.includes("sun"), `the results are not in the answer: ${words}`);
    check((await result.totalUsage).totalTokens > 0, "nothing is said of what it took");
  },

  async tell() {
    const session = model({ "x-dwell-session": "kitchen" });
    await generateText({ model: session, prompt: "My boiler is serviced by Hartmann.", maxRetries: 0 });
  },

  async know() {
    const session = model({ "x-dwell-session": "another" });
    const { text } = await generateText({ model: session, prompt: "Who services my boiler?", maxRetries: 0 });
    check(text.includes("Hartmann"), `what was said before is not known: ${text}`);
  },
};

try {
  await phases[phase]();
} catch (error) {
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(1);
}
