/** Attaching files by button, paste or drop; each is shown as a removable chip. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { newKey } from "../store/key.ts";
import { IconButton } from "../kit/button.tsx";
import { bytes } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Spinner } from "../kit/pieces.tsx";
import { imageUrl } from "./user-message.tsx";
import type { Draft } from "./draft.ts";
import { type Attachment, bytesOf, PICTURES_MAX, refuseText, REQUEST_BYTES_MAX, TEXT_BYTES_MAX } from "./files.ts";
import { isPicture, readPicture } from "./pictures.ts";
import { texts } from "../languages/talk.ts";

type Files = {
  button: JSX.Element;
  isReading: boolean;
  /** Why files could not be attached. */
  problems: readonly string[];
  forgetProblems: () => void;
  onPaste: (event: ClipboardEvent) => void;
  onDrop: (event: DragEvent) => void;
};

/** Adds files to a draft. */
export function useFiles(box: Draft): Files {
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [reading, setReading] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const add = async (files: readonly File[]) => {
    setProblems([]);
    setReading((count) => count + 1);
    // One after the other: the space left depends on the files before.
    for (const file of files) {
      try {
        box.files.value = [...box.files.value, await read(file, box)];
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        setProblems((before) => [...before, words]);
      }
    }
    setReading((count) => count - 1);
  };
  const button = (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          void add([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <IconButton icon="attach" label={texts().attachFiles} onPress={() => input.current?.click()} />
    </>
  );
  return {
    button,
    isReading: reading > 0,
    problems,
    forgetProblems: () => setProblems([]),
    onPaste: (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void add(files);
    },
    onDrop: (event) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void add(files);
    },
  };
}

async function read(file: File, box: Draft): Promise<Attachment> {
  const before = box.files.value;
  if (isPicture(file)) {
    const pictures = before.filter(({ kind }) => kind === "picture").length;
    if (pictures >= PICTURES_MAX) throw new Error(texts().aMessageCanHave(PICTURES_MAX));
    return readPicture(
      file,
      REQUEST_BYTES_MAX - before.reduce((sum, one) => sum + sizeOf(one), bytesOf(box.text.value)),
    );
  }
  const name = file.name || texts().text;
  if (file.size > TEXT_BYTES_MAX) throw new Error(refuseText(name, "", file.size) ?? texts().isTooLarge(name));
  const text = await file.text();
  const together = before.reduce((sum, one) => sum + (one.kind === "text" ? bytesOf(one.text) : 0), file.size);
  const refused = refuseText(name, text, together);
  if (refused !== undefined) throw new Error(refused);
  return { kind: "text", id: newKey(), name, text };
}

function sizeOf(file: Attachment): number {
  return file.kind === "picture" ? file.image.data.length : bytesOf(file.text);
}

/** The attachments of a draft. */
export function Attachments({ box, isReading }: { box: Draft; isReading: boolean }) {
  const files = box.files.value;
  if (files.length === 0 && !isReading) return null;
  const remove = (id: string) => (box.files.value = box.files.value.filter((file) => file.id !== id));
  return (
    <ul class="talk-attached" aria-label={texts().attachments}>
      {files.map((file) => (
        <li key={file.id}>
          {file.kind === "picture" ? <img src={imageUrl(file.image)} alt="" /> : <Icon name="journal" small />}
          <span>{file.name}</span>
          {file.kind === "text" && <span class="numbers">{bytes(bytesOf(file.text))}</span>}
          <IconButton icon="close" label={texts().removeName(file.name)} small onPress={() => remove(file.id)} />
        </li>
      ))}
      {isReading && (
        <li>
          <Spinner label={texts().readingFile} />
        </li>
      )}
    </ul>
  );
}
