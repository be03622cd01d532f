/** Memory looked through: what is there twice, contradicts itself or looks like a secret, and what to do about it. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api } from "../house/api.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { Badge, Spinner, Trouble } from "../kit/pieces.tsx";
import { FoundItem } from "./item.tsx";
import { useLoaded } from "./load.ts";
import { count, FINDINGS, fromFound, LEVELS, type Remembered } from "./words.ts";

/** The dialog. It reads anew after each correction. */
export function AuditDialog({ onClose }: { onClose: () => void }) {
  const { value, problem } = useLoaded("audit", () => api<wire.Audit>("GET", "/api/v1/memories/audit"));
  return (
    <Dialog title="Looked through" class="memory-audit" onClose={onClose}>
      {problem !== undefined && <Trouble error={problem} />}
      {!value && problem === undefined && <Spinner label="Looking memory through" />}
      {value && <Findings audit={value} />}
    </Dialog>
  );
}

function Findings({ audit }: { audit: wire.Audit }) {
  const found = FINDINGS.filter(({ name }) => (audit[name]?.count ?? 0) > 0);
  const levels = ["profile", "fact", "entry", "context"] as const;
  return (
    <>
      <p class="memory-meta">
        {levels.map((level) => (
          <Badge key={level}>{`${LEVELS[level]}: ${audit.counts?.[level] ?? 0}`}</Badge>
        ))}
      </p>
      {found.length === 0 && (
        <p class="memory-fine">
          <Icon name="check" small /> All is well: nothing is there twice, nothing contradicts itself, and nothing looks
          like a secret.
        </p>
      )}
      {found.map(({ name, title, about }) => (
        <FindingPart key={name} title={title} about={about} finding={audit[name] ?? {}} isHidden={name === "secrets"} />
      ))}
    </>
  );
}

function FindingPart(props: { title: string; about: string; finding: wire.Finding; isHidden: boolean }) {
  const { title, about, finding, isHidden } = props;
  const [isOpen, setIsOpen] = useState(false);
  const { examples = [] } = finding;
  const ids = [...new Set(examples.flatMap((example) => example.ids))];
  return (
    <section class="memory-finding">
      <h3>
        {title} <Badge tone={isHidden ? "danger" : "warning"}>{String(finding.count ?? 0)}</Badge>
      </h3>
      <p class="memory-note">{about}</p>
      {ids.length > 0 && !isOpen && (
        <Button small icon="eye" onPress={() => setIsOpen(true)}>
          {isHidden ? "Show the words" : `Show ${count(ids.length, "item")}`}
        </Button>
      )}
      {isOpen && <Examples ids={ids} />}
    </section>
  );
}

function Examples({ ids }: { ids: readonly string[] }) {
  const { value, problem } = useLoaded(ids.join(), () => Promise.all(ids.map(read)));
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!value) return <Spinner />;
  return <ul class="memory-list">{value.map((item) => item && <FoundItem key={item.id} item={item} />)}</ul>;
}

/** What was forgotten meanwhile is left out. */
async function read(id: string): Promise<Remembered | undefined> {
  try {
    return fromFound(await api<Omit<wire.Found, "score">>("GET", `/api/v1/memories/${id}`));
  } catch {
    return undefined;
  }
}
