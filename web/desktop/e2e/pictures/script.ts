/** The script of the model for the screenshots: an evening at home, with tools and windows. */
import type { Round, Script, ModelRequest } from "../support/model.ts";
import { words } from "../support/model.ts";

function then(told: ModelRequest, calls: Round["calls"], text: string): Round {
  return told.results.length === 0 && calls ? { calls } : { pieces: words(text) };
}

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const ENERGY = `We used **61 kWh** this week, a little less than the week before. Two things stand out:

| | This week | Week before |
|---|--:|--:|
| Heating | 24 kWh | 29 kWh |
| Car | 21 kWh | 18 kWh |
| Everything else | 16 kWh | 16 kWh |

- **Saturday** was the highest day: the car was charged from almost empty.
- The **towel rail** in the bathroom ran all night twice. A rule would do:

\`\`\`yaml
trigger: time 23:00
action: switch.turn_off → switch.towel_rail
\`\`\`

The days are in the meter's history [history:sensor.energy_today]. Shall I put them into a chart?`;

const WINDOWS: readonly { name: string; arguments: unknown }[] = [
  {
    name: "window_open",
    arguments: {
      window_id: "energy",
      title: "Energy this week",
      x: 140,
      y: 120,
      width: 3250,
      height: 2050,
      content: {
        type: "chart",
        kind: "bar",
        labels: DAYS,
        series: [
          { name: "Heating", values: [3.6, 3.4, 3.1, 3.3, 3.2, 3.8, 3.6] },
          { name: "Car", values: [2.1, 0, 3.4, 2.2, 0, 9.8, 3.5] },
          { name: "Everything else", values: [2.2, 2.1, 2.4, 2.2, 2.3, 2.6, 2.2] },
        ],
      },
    },
  },
  {
    name: "window_open",
    arguments: {
      window_id: "dinner",
      title: "Dinner on Saturday",
      x: 3470,
      y: 140,
      width: 2060,
      height: 2500,
      content: {
        type: "components",
        components: [
          { type: "text", text: "Six people, one without nuts." },
          {
            type: "form",
            name: "dinner",
            components: [
              { type: "input", name: "when", label: "When", value: "19:00" },
              {
                type: "select",
                name: "main",
                label: "Main course",
                options: ["Roasted vegetables", "Mushroom risotto", "Lentil curry"],
                value: "Roasted vegetables",
              },
              { type: "checkbox", name: "list", label: "Put what is missing on the shopping list", checked: true },
              { type: "button", label: "Plan it", action: "plan", tone: "info" },
            ],
          },
          { type: "progress", percent: 60, label: "Invitations answered" },
        ],
      },
    },
  },
  {
    name: "window_open",
    arguments: {
      window_id: "shopping",
      title: "Shopping list",
      x: 330,
      y: 2050,
      width: 2750,
      height: 1900,
      content: {
        type: "table",
        columns: ["What", "How much", "Where", "€"],
        rows: [
          ["Chickpeas", "3 tins", "Supermarket", 2.7],
          ["Pears", "1.5 kg", "Market", 4.5],
          ["Lemons", "6", "Market", 2.4],
          ["Basmati rice", "1 kg", "Supermarket", 3.2],
          ["Flat parsley", "2 bunches", "Market", 2],
        ],
      },
    },
  },
  {
    name: "window_open",
    arguments: {
      window_id: "tea",
      title: "Tea",
      x: 5560,
      y: 1500,
      width: 1980,
      height: 2350,
      content: { type: "app", app: "timer", params: { seconds: 240, label: "Darjeeling" } },
    },
  },
];

export const DEMO: readonly Script[] = [
  {
    when: /energy/i,
    says: (told) =>
      then(
        told,
        [
          { name: "search_entities", arguments: { text: "energy" } },
          { name: "get_history", arguments: { entity_ids: ["sensor.energy_today"], period: "last 7 days" } },
        ],
        ENERGY,
      ),
  },
  {
    when: /put it on the desktop/i,
    says: (told) =>
      then(
        told,
        WINDOWS,
        "Done. The chart has the days, the form plans Saturday with what I know of your guests, and the tea has **four minutes**: you like Darjeeling.",
      ),
  },
  {
    when: /let jonas in/i,
    says: (told) =>
      then(
        told,
        [
          {
            name: "call_service",
            arguments: { domain: "lock", service: "unlock", target: { entity_id: ["lock.front_door"] } },
          },
        ],
        "The front door is unlocked.",
      ),
  },
  {
    when: /explain|essay|long/i,
    says: () => ({
      pieces: words(
        "A heat pump moves warmth instead of making it. Outside, a liquid that boils far below zero takes up what warmth there is; a compressor squeezes the vapour, which makes it hot; inside, it gives that heat to the water of the heating and is liquid again. ".repeat(
          3,
        ),
      ),
      pauseMs: 250,
    }),
  },
];
