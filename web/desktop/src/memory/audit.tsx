/** The memory audit: duplicates, contradictions, possible secrets, and what to do about them. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { Badge, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { FoundItem } from "./item.tsx";
import { useLoad } from "./load.ts";
import { count, findings, fromFound, levelNames, type MemoryItem } from "./words.ts";
import { texts } from "../languages/memory.ts";

/** The audit dialog. It reloads after each change. */
export function AuditDialog({ onClose }: { onClose: () => void }) {
  const { value, problem } = useLoad("audit", () => api<wire.Audit>("GET", "/api/v1/memories/audit"));
  return (
    <Dialog title={texts().memoryAudit} class="memory-audit" onClose={onClose}>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {!value && problem === undefined && <Spinner label={texts().checkingMemory} />}
      {value && <Findings audit={value} />}
    </Dialog>
  );
}

function Findings({ audit }: { audit: wire.Audit }) {
  const found = findings().filter(({ name }) => (audit[name]?.count ?? 0) > 0);
  const levels = ["profile", "fact", "entry", "context"] as const;
  return (
    <>
      <p class="memory-meta">
        {levels.map((level) => (
          <Badge key={level}>{`${levelNames()[level]}: ${audit.counts?.[level] ?? 0}`}</Badge>
        ))}
      </p>
      {found.length === 0 && (
        <p class="memory-fine">
          <Icon name="check" small /> {texts().noProblemsFoundNo}
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
          {isHidden ? texts().showText : texts().showIds(count(ids.length, "item"))}
        </Button>
      )}
      {isOpen && <Examples ids={ids} />}
    </section>
  );
}

function Examples({ ids }: { ids: readonly string[] }) {
  const { value, problem } = useLoad(ids.join(), () => Promise.all(ids.map(read)));
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!value) return <Spinner />;
  return <ul class="memory-list">{value.map((item) => item && <FoundItem key={item.id} item={item} />)}</ul>;
}

/** Loads an item; undefined if it was deleted meanwhile. */
async function read(id: string): Promise<MemoryItem | undefined> {
  try {
    return fromFound(await api<Omit<wire.MemoryHit, "score">>("GET", `/api/v1/memories/${id}`));
  } catch {
    return undefined;
  }
}
