/** Memory taken in from a file. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api } from "../house/api.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Notice, Trouble } from "../kit/pieces.tsx";
import { done } from "./change.ts";
import { importedInWords } from "./words.ts";

/** Where all of memory is, as a file. */
export const EXPORT_PATH = "/api/v1/memories/export";

/** `dwell-memory-2026-11-15.json` */
export function exportName(now = new Date()): string {
  return `dwell-memory-${now.toISOString().slice(0, 10)}.json`;
}

/** The dialog. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File>();
  const [vault, setVault] = useState("");
  const [result, setResult] = useState<wire.Imported>();
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const take = async () => {
    if (!file) return;
    setIsBusy(true);
    setProblem(undefined);
    try {
      const body = { text: await file.text(), ...(vault.trim() !== "" && { vault: vault.trim() }) };
      const imported = await api<wire.Imported>("POST", "/api/v1/memories/import", body);
      setResult(imported);
      done(importedInWords(imported));
    } catch (error) {
      setProblem(error);
    }
    setIsBusy(false);
  };
  return (
    <Dialog
      title="Import memory"
      onClose={onClose}
      foot={
        result ? (
          <Button kind="primary" onPress={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button kind="primary" disabled={!file || isBusy} onPress={() => void take()}>
              {isBusy ? "Importing…" : "Import"}
            </Button>
          </>
        )
      }
    >
      {result ? (
        <>
          <p role="status">{importedInWords(result)}</p>
          {(result.notices ?? []).map((notice) => (
            <Notice key={notice}>{notice}</Notice>
          ))}
        </>
      ) : (
        <>
          <p class="memory-note">
            An archive of Dwell, or what Mem0, LangChain, LangGraph or OpenAI wrote. What is here already is left alone.
          </p>
          <label class="field">
            File
            <input
              class="input"
              type="file"
              accept=".json,.jsonl,.ndjson,application/json"
              onChange={(event) => setFile(event.currentTarget.files?.[0])}
            />
          </label>
          <label class="field">
            Vault for conversations of other programs
            <input
              class="input"
              placeholder="imported"
              value={vault}
              onInput={(event) => setVault(event.currentTarget.value)}
            />
          </label>
        </>
      )}
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}
