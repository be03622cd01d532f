/** The dialog that puts a session into a folder, or takes it out. */
import type { wire } from "@dwell/client";
import { useId, useState } from "preact/hooks";
import { announce } from "../../kit/announce.ts";
import { useAttempt } from "../../kit/attempt.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ErrorNotice } from "../../kit/pieces.tsx";
import { FOLDER_MAX, folderOf } from "../../store/folders.ts";
import { inFolders, moveToFolder } from "../../store/sessions.ts";
import { texts } from "../../languages/dialogs.ts";

/** The dialog. Folders are there as long as a session is in them. */
export function FolderDialog({ session, onClose }: { session: wire.SessionView; onClose: () => void }) {
  const before = folderOf(session);
  const [name, setName] = useState(before ?? "");
  const { isBusy, problem, run } = useAttempt();
  const list = useId();
  const known = [...new Set(inFolders.value.flatMap((each) => folderOf(each) ?? []))].sort((one, other) =>
    one.localeCompare(other),
  );
  const move = async (to: string) => {
    if (!(await run(() => moveToFolder(session.session_id, to)))) return;
    announce(to.trim() === "" ? texts().takenOutItsFolder : texts().movedTo(to.trim()));
    onClose();
  };
  return (
    <Dialog
      title={texts().moveToFolder}
      onClose={onClose}
      foot={
        <>
          {before !== undefined && (
            <Button disabled={isBusy} onPress={() => void move("")}>
              {texts().takeOut(before)}
            </Button>
          )}
          <Button kind="primary" disabled={isBusy || name.trim() === ""} onPress={() => void move(name)}>
            {texts().move}
          </Button>
        </>
      }
    >
      <label class="field">
        {texts().folder}
        <input
          class="input"
          list={list}
          maxLength={FOLDER_MAX}
          placeholder={texts().aNewNameOr}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && !event.isComposing && name.trim() !== "" && void move(name)}
        />
      </label>
      <datalist id={list}>
        {known.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
