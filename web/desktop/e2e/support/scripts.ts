/** The answers of the scripted model in the tests, by the user's message. */
import type { Round, Script, ModelRequest } from "./model.ts";
import { words } from "./model.ts";

/** Numbered words, which reveal missing or repeated ones: `w1 w2 … wN`. */
export function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `w${index + 1}`).join(" ");
}

export const MARKDOWN = `## A plan for the week

Some **bold** words, some *slanted* ones, and \`code\` among them.

- first
- second

| Day | Meal |
|---|---|
| Monday | Soup |
| Tuesday | Pasta |

\`\`\`js
const answer = 6 * 7;
\`\`\`

<img src="https://elsewhere.invalid/x.png" onerror="globalThis.wasHarmed = true">
<script>globalThis.wasHarmed = true</script>

[A link](https://example.org/) and [a bad one](javascript:globalThis.wasHarmed=true), and ![a picture](https://elsewhere.invalid/p.png).
`;

/** What answers contain beyond plain Markdown. */
export const RICH = `The area is $\\pi r^2$, and it costs $5.

$$
\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}
$$

It rains[^1] today.

- [x] done
- [ ] to do

| Town | People |
|---|--:|
| Ulm | 126,000 |
| Rom | 2,750,000 |
| Bonn | 330,000 |

\`\`\`mermaid
flowchart LR
  Tea --> Cup
\`\`\`

\`\`\`mermaid
flowchart nonsense ((
\`\`\`

\`\`\`html
<h1>Hello from the frame</h1>
<script>
  let how = "no";
  try { how = String(parent.document.title); } catch { how = "apart"; }
  fetch("/api/v1/stats").then(() => (how += ", reached"), () => (how += ", cut off"))
    .then(() => { const line = document.createElement("p"); line.textContent = "It is " + how; document.body.append(line); });
</script>
\`\`\`

[^1]: From **above**.
`;

/** One call, then a text. */
function callThenSay(told: ModelRequest, name: string, args: unknown, text: string): Round {
  if (told.results.length === 0) return { calls: [{ name, arguments: args }] };
  return { pieces: words(text) };
}

function open(told: ModelRequest, title: string, content: unknown, more: object = {}): Round {
  const window_id = title.toLowerCase().replaceAll(" ", "-");
  return callThenSay(told, "window_open", { window_id, title, content, ...more }, `The window ${title} is open.`);
}

const FORM = {
  type: "components",
  components: [
    { type: "text", text: "What is to be bought?" },
    {
      type: "form",
      name: "item",
      components: [
        { type: "input", name: "what", label: "What" },
        { type: "select", name: "shop", label: "Shop", options: ["Market", "Bakery"], value: "Market" },
        { type: "checkbox", name: "urgent", label: "Urgent" },
        { type: "button", label: "Add it", action: "add" },
      ],
    },
  ],
};

/** Answers that fail. */
const FAILURES: readonly Script[] = [
  { when: /^bears at length/i, says: () => ({ pieces: words("Bears sleep all winter. "), finish: "length" }) },
  {
    when: /^\[Your last answer was cut off/,
    says: () => ({ pieces: words("They dream of honey. "), finish: "length" }),
  },
  { when: /^please continue/i, says: () => ({ pieces: words("And in spring they wake.") }) },
  { when: /^bears filtered/i, says: () => ({ pieces: words("Bears eat "), finish: "content_filter" }) },
  { when: /^bears withheld/i, says: () => ({ finish: "content_filter" }) },
  { when: /^bears declined/i, says: () => ({ refusal: "I cannot speak of bears." }) },
  { when: /^bears in silence/i, says: () => ({}) },
  { when: /^bears without a key/i, says: () => ({ error: { status: 401, message: "Incorrect API key provided" } }) },
  {
    when: /^bears too often/i,
    says: () => ({ error: { status: 429, message: "Rate limit reached", retryAfterS: 7_200 } }),
  },
  {
    when: /^bears at second try/i,
    says: ({ times }) =>
      times === 1
        ? { error: { status: 429, message: "Rate limit reached", retryAfterS: 1 } }
        : { pieces: words("Bears are brown.") },
  },
  { when: /^bears in trouble/i, says: () => ({ error: { status: 500, message: "The server had an error" } }) },
  { when: /^bears interrupted/i, says: () => ({ pieces: words("Bears climb "), isCut: true }) },
];

export const SCRIPTS: readonly Script[] = [
  // The message to the window's agent when the form's button is clicked.
  {
    when: /\badd\b[\s\S]*what[\s\S]*?(oat milk|bread)/i,
    says: (told, fit) =>
      callThenSay(
        told,
        "window_change",
        { window_id: "shopping", content: { type: "markdown", text: `On the list: **${fit[1] ?? ""}**` } },
        "It is on the list.",
      ),
  },
  {
    when: /^count to (\d+)(?: every (\d+) ms)?/i,
    says: (_, fit) => ({ pieces: words(numbered(Number(fit[1]))), pauseMs: Number(fit[2] ?? 0) }),
  },
  // Paragraphs of sixty words.
  {
    when: /^stream (\d+) words every (\d+) ms/i,
    says: (_, fit) => ({
      pieces: words(numbered(Number(fit[1]))).map((word, index) => (index % 60 === 59 ? `${word.trim()}.\n\n` : word)),
      pauseMs: Number(fit[2]),
    }),
  },
  { when: /^plan my week/i, says: () => ({ pieces: MARKDOWN.split(/(?<=\n)/) }) },
  {
    when: /^think/i,
    says: () => ({
      thinking: words("First I weigh the one, then the other."),
      pieces: words("I have thought."),
      pauseMs: 20,
    }),
  },
  // Slow reasoning and a slow answer.
  {
    when: /^ponder/i,
    says: () => ({
      thinking: words("Perhaps the left one? No, it is surely the right one."),
      pieces: words("The right one, I should say."),
      pauseMs: 120,
    }),
  },
  { when: /^show it all/i, says: () => ({ pieces: words(RICH) }) },
  { when: /^reckon/i, says: (told) => callThenSay(told, "calculator", { expression: "6*7" }, "It is 42.") },
  { when: /^shopping form/i, says: (told) => open(told, "Shopping", FORM) },
  {
    when: /^show a table/i,
    says: (told) =>
      open(told, "Prices", {
        type: "table",
        columns: ["Thing", "Price"],
        rows: [
          ["Bread", 3.2],
          ["Apples", 2.1],
          ["Cheese", 7.8],
        ],
      }),
  },
  {
    when: /^show a chart/i,
    says: (told) =>
      open(told, "Power", {
        type: "chart",
        kind: "bar",
        labels: ["Mon", "Tue", "Wed"],
        series: [{ name: "kWh", values: [4, 7, 5] }],
      }),
  },
  {
    when: /^show html/i,
    says: (told) => open(told, "Note", { type: "html", html: "<h2>Hello there</h2><p>Written in <b>HTML</b>.</p>" }),
  },
  {
    when: /^show a timer/i,
    says: (told) => open(told, "Tea", { type: "app", app: "timer", params: { seconds: 600, label: "Tea" } }),
  },
  {
    when: /^how long is left/i,
    says: (told) =>
      told.results.length === 0
        ? { calls: [{ name: "app_query", arguments: { window_id: "tea", key: "remaining_s" } }] }
        : { pieces: words(`The app says ${told.results.join(" ")}`) },
  },
  {
    when: /^which one/i,
    says: (told) =>
      told.results.length === 0
        ? { calls: [{ name: "ask_user", arguments: { title: "Which colour?", choices: ["Red", "Blue"] } }] }
        : { pieces: words(`You chose: ${told.results.join(" ")}`) },
  },
  {
    when: /^tell me in passing/i,
    says: (told) =>
      callThenSay(told, "notify", { title: "Oven", text: "The oven is hot.", keep: /keep/.test(told.words) }, "Told."),
  },
  {
    when: /^book a table for (\d+)/i,
    says: (told, fit) =>
      told.results.length === 0
        ? {
            calls: [
              { name: "book_table", arguments: { restaurant: "Zum Anker", people: Number(fit[1]), at: "19:30" } },
            ],
          }
        : { pieces: words(`The answer was: ${told.results.join(" ")}`) },
  },
  {
    when: /^send a letter/i,
    says: (told) =>
      told.results.length === 0
        ? { calls: [{ name: "send_letter", arguments: { to: "Grandmother", words: "We come on Sunday." } }] }
        : { pieces: words("The letter is on its way.") },
  },
  ...FAILURES,
];
