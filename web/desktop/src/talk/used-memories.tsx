/** The memories that a turn's model received, with the parts of each score as bars. */
import type { wire } from "@dwell/client";
import { compact, fixed, shortTime } from "../kit/format.ts";
import { Badge } from "../kit/pieces.tsx";
import { texts } from "../languages/sources.ts";

/** The parts of a score, with the maximum of each. */
function partsOfScore(): readonly { name: keyof wire.Score; words: string; most: number }[] {
  return [
    { name: "relevance", words: texts().relevance, most: 0.6 },
    { name: "recency", words: texts().recent, most: 0.3 },
    { name: "pinned", words: texts().pinnedOrProfile, most: 0.2 },
    { name: "conversation", words: texts().thisConversation, most: 0.1 },
    { name: "entity", words: texts().sameNames, most: 0.1 },
    { name: "time", words: texts().timeInQuestion, most: 0.1 },
  ];
}

function levelNames(): Record<wire.Level, string> {
  return {
    pin: texts().pin,
    profile: texts().profile,
    fact: texts().fact,
    entry: texts().entry,
    context: texts().summary,
  };
}

/** The items and the size of the context. Notices in `told` are already shown below the answer. */
export function UsedMemories({ memory, told = [] }: { memory: wire.MemoryUsed; told?: readonly string[] | undefined }) {
  const items = memory.items ?? [];
  const notices = (memory.notices ?? []).filter((notice) => !told.includes(notice));
  return (
    <section class="talk-part">
      <h3>{items.length === 0 ? texts().noMemoriesRecalled : texts().memoryCount(items.length)}</h3>
      {items.length > 0 && (
        <ul class="talk-recalled">
          {items.map((item, index) => (
            <Item key={item.id ?? index} item={item} />
          ))}
        </ul>
      )}
      {notices.map((notice) => (
        <p key={notice} class="talk-notice">
          {notice}
        </p>
      ))}
      <Context memory={memory} />
    </section>
  );
}

function Item({ item }: { item: wire.UsedItem }) {
  const { score } = item;
  return (
    <li>
      <p>
        {item.key && <b>{item.key.replaceAll("_", " ")} </b>}
        {item.text}
      </p>
      <div class="talk-recalled-about">
        <Badge>{levelNames()[item.level]}</Badge>
        {item.at && <span>{shortTime(item.at)}</span>}
        {item.valid_until && (
          <span>
            {texts().validUntil} {shortTime(item.valid_until)}
          </span>
        )}
      </div>
      {score && <Bars score={score} />}
    </li>
  );
}

function Bars({ score }: { score: wire.Score }) {
  const parts = partsOfScore().flatMap(({ name, words, most }) => {
    const value = score[name] ?? 0;
    return Math.abs(value) < 0.005 ? [] : [{ name, words, most, value }];
  });
  if (parts.length === 0) return null;
  return (
    <dl class="talk-bars">
      {parts.map(({ name, words, most, value }) => (
        <div key={name}>
          <dt>{words}</dt>
          <dd>
            <span class="talk-bar" aria-hidden="true">
              <span
                class={value < 0 ? "is-minus" : undefined}
                style={{ width: `${Math.min(100, (Math.abs(value) / most) * 100)}%` }}
              />
            </span>
            <span class="numbers">{fixed(value, 2)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The size of the prompt, by section. */
function Context({ memory }: { memory: wire.MemoryUsed }) {
  const sections = (memory.sections ?? []).filter(({ tokens }) => tokens > 0);
  const { tokens, tokens_max: most } = memory;
  if (!tokens || sections.length === 0) return null;
  const list = sections.map((section) => `${section.name} ${compact(section.tokens)}`).join(", ");
  return (
    <p class="talk-notice">
      {texts().prompt} {compact(tokens)}
      {most ? texts().ofMost(compact(most)) : ""} {texts().tokens}
      {list}).
    </p>
  );
}
