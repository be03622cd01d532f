/** The parts of a score as bars on one scale, so that their lengths add up. */
import type { wire } from "@dwell/client";
import { fixed } from "../kit/format.ts";
import { relevanceParts, type ScorePart, scoreParts } from "./words.ts";
import { texts } from "../languages/memory.ts";

/** The maximum of a part. */
const PART_MAX = 0.6;

/** A score with all its parts. */
export function ScoreBars({ score }: { score: wire.Score }) {
  const [relevance, ...others] = scoreParts(score);
  return (
    <div class="memory-score">
      <p class="memory-total">
        <strong class="numbers">{fixed(score.total ?? 0, 2)}</strong> {texts().score}
      </p>
      <dl aria-label={texts().partsOfTheScore}>
        {relevance && <Bar part={relevance} max={PART_MAX} />}
        {relevanceParts(score).map((part) => (
          <Bar key={part.name} part={part} max={1} isInner />
        ))}
        {others.map((part) => (
          <Bar key={part.name} part={part} max={PART_MAX} />
        ))}
      </dl>
    </div>
  );
}

function Bar({ part, max, isInner = false }: { part: ScorePart; max: number; isInner?: boolean }) {
  const { name, about, value } = part;
  const share = Math.min(1, Math.abs(value) / max);
  const names = ["memory-bar", isInner && "inner", value < 0 && "below", value === 0 && "zero"].filter(Boolean);
  return (
    <div class={names.join(" ")} title={`${name}: ${about}`}>
      <dt>{name}</dt>
      <dd>
        <span class="memory-track" aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
        <span class="numbers">{fixed(value, 2)}</span>
      </dd>
    </div>
  );
}
