// The AI SDK: answers, streams, tools and objects, by OpenAI's provider in its `chat` form and by the one for compatible servers.
//
// Usage: ai_objects.mjs BASE_URL KEY

import { ADA, HELLO, PERSON_QUESTION, WEATHER, WEATHER_QUESTION, check, load, run, same } from "./checks.mjs";

const { Output, generateObject, generateText, stepCountIs, streamObject, streamText, tool } = await load("ai");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { z } = await load("zod");

const [baseURL, apiKey] = process.argv.slice(2);
const models = {
  openai: createOpenAI({ baseURL, apiKey }).chat("dwell"),
  compatible: createOpenAICompatible({
    name: "dwell", baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true,
  })("dwell"),
};
const schema = z.object({ name: z.string(), born: z.number() });
const weather = tool({
  description: "The weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => WEATHER[city],
});

function isReport(text) {
  check(text.includes("snow") && text.includes("sun"), `the results are not in the answer ${text}`);
}

const checks = {
  async chat(model) {
    const { text, usage } = await generateText({ model, prompt: HELLO, maxRetries: 0 });
    same([text, usage.inputTokens, usage.outputTokens], ["Hello there.", 11, 6], "the answer");
  },

  async stream(model) {
    const pieces = [];
    const result = streamText({ model, prompt: HELLO, maxRetries: 0 });
    for await (const piece of result.textStream) pieces.push(piece);
    same(pieces.join(""), "Hello there.", "the answer");
    check(pieces.length > 1, "it came in one piece");
    same((await result.usage).totalTokens, 17, "the usage");
  },

  async tools(model) {
    const tools = { get_weather: weather };
    const result = await generateText({ model, tools, prompt: WEATHER_QUESTION, stopWhen: stepCountIs(3), maxRetries: 0 });
    same(result.steps.length, 2, "the number of steps");
    isReport(result.text);
  },

  async generate_object(model) {
    const { object } = await generateObject({ model, schema, prompt: PERSON_QUESTION, maxRetries: 0 });
    same(object, ADA, "the object");
  },

  async stream_object(model) {
    const result = streamObject({ model, schema, prompt: PERSON_QUESTION, maxRetries: 0 });
    for await (const partial of result.partialObjectStream) check(typeof partial === "object", "a part is no object");
    same(await result.object, ADA, "the object");
  },

  async no_schema(model) {
    const { object } = await generateObject({ model, output: "no-schema", prompt: PERSON_QUESTION, maxRetries: 0 });
    same(object, ADA, "the object");
  },

  async tools_and_output(model) {
    const result = await generateText({
      model,
      tools: { get_weather: weather },
      output: Output.object({ schema: z.object({ summary: z.string() }) }),
      prompt: WEATHER_QUESTION,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    });
    isReport(result.output.summary);
  },

  async error(model) {
    let error;
    try {
      await generateText({ model, prompt: "The provider has had enough.", maxRetries: 0 });
    } catch (caught) {
      error = caught;
    }
    same([error?.statusCode, error?.responseHeaders?.["retry-after"]], [429, "3600"], "the error");
  },
};

for (const [provider, model] of Object.entries(models)) {
  const named = Object.entries(checks).map(([name, one]) => [`${provider}_${name}`, () => one(model)]);
  await run(Object.fromEntries(named));
}
