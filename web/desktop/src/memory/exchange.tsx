/** Importing and exporting memory. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Notice, ErrorNotice } from "../kit/pieces.tsx";
import { reportChange } from "./change.ts";
import { describeImported } from "./words.ts";
import { texts } from "../languages/memory.ts";

/** The path of the memory export. */
export const EXPORT_PATH = "/api/v1/memories/export";

/** The file name of an export: `dwell-memory-2026-11-15.json`. */
export function exportName(now = new Date()): string {
  return `dwell-memory-${now.toISOString().slice(0, 10)}.json`;
}

/** The import dialog. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File>();
  const [vault, setVault] = useState("");
  const [result, setResult] = useState<wire.MemoryImportResult>();
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const take = async () => {
    if (!file) return;
    setIsBusy(true);
    setProblem(undefined);
    try {
      const body = { text: await file.text(), ...(vault.trim() !== "" && { vault: vault.trim() }) };
      const imported = await api<wire.MemoryImportResult>("POST", "/api/v1/memories/import", body);
      setResult(imported);
      reportChange(describeImported(imported));
    } catch (error) {
      setProblem(error);
    }
    setIsBusy(false);
  };
  return (
    <Dialog
      title={texts().importMemory}
      onClose={onClose}
      foot={
        result ? (
          <Button kind="primary" onPress={onClose}>
            {texts().done}
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>{texts().cancel}</Button>
            <Button kind="primary" disabled={!file || isBusy} onPress={() => void take()}>
              {isBusy ? texts().importing : texts().import}
            </Button>
          </>
        )
      }
    >
      {result ? (
        <>
          <p role="status">{describeImported(result)}</p>
          {(result.notices ?? []).map((notice) => (
            <Notice key={notice}>{notice}</Notice>
          ))}
        </>
      ) : (
        <>
          <p class="memory-note">{texts().aDwellArchiveOr}</p>
          <label class="field">
            {texts().file}
            <input
              class="input"
              type="file"
              accept=".json,.jsonl,.ndjson,application/json"
              onChange={(event) => setFile(event.currentTarget.files?.[0])}
            />
          </label>
          <label class="field">
            {texts().vaultForConversationsFrom}
            <input
              class="input"
              placeholder={texts().imported}
              value={vault}
              onInput={(event) => setVault(event.currentTarget.value)}
            />
          </label>
        </>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
