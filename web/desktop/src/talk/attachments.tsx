/** Files for a message: by button, by paste, by drop; each is a chip that can be taken away again. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { newKey } from "../house/key.ts";
import { IconButton } from "../kit/button.tsx";
import { bytes } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Spinner } from "../kit/pieces.tsx";
import { addressOf } from "./asked.tsx";
import type { Box } from "./box.ts";
import { type Attached, bytesOf, PICTURES_MAX, refuseText, REQUEST_BYTES_MAX, TEXT_BYTES_MAX } from "./files.ts";
import { isPicture, readPicture } from "./pictures.ts";

type Files = {
  button: JSX.Element;
  isReading: boolean;
  /** What could not be attached, and why. */
  problems: readonly string[];
  forgetProblems: () => void;
  onPaste: (event: ClipboardEvent) => void;
  onDrop: (event: DragEvent) => void;
};

/** Takes files for a box. */
export function useFiles(box: Box): Files {
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [reading, setReading] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const add = async (files: readonly File[]) => {
    setProblems([]);
    setReading((count) => count + 1);
    // One after the other: how much room there is depends on those before.
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
      <IconButton icon="attach" label="Attach files" onPress={() => input.current?.click()} />
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

async function read(file: File, box: Box): Promise<Attached> {
  const before = box.files.value;
  if (isPicture(file)) {
    const pictures = before.filter(({ kind }) => kind === "picture").length;
    if (pictures >= PICTURES_MAX)
      throw new Error(`A message has at most ${PICTURES_MAX} pictures. Send the others in the next one.`);
    return readPicture(
      file,
      REQUEST_BYTES_MAX - before.reduce((sum, one) => sum + sizeOf(one), bytesOf(box.text.value)),
    );
  }
  const name = file.name || "text";
  if (file.size > TEXT_BYTES_MAX) throw new Error(refuseText(name, "", file.size) ?? `${name} is too long.`);
  const text = await file.text();
  const together = before.reduce((sum, one) => sum + (one.kind === "text" ? bytesOf(one.text) : 0), file.size);
  const refused = refuseText(name, text, together);
  if (refused !== undefined) throw new Error(refused);
  return { kind: "text", id: newKey(), name, text };
}

function sizeOf(file: Attached): number {
  return file.kind === "picture" ? file.image.data.length : bytesOf(file.text);
}

/** What is attached. */
export function Attachments({ box, isReading }: { box: Box; isReading: boolean }) {
  const files = box.files.value;
  if (files.length === 0 && !isReading) return null;
  const remove = (id: string) => (box.files.value = box.files.value.filter((file) => file.id !== id));
  return (
    <ul class="talk-attached" aria-label="Attached">
      {files.map((file) => (
        <li key={file.id}>
          {file.kind === "picture" ? <img src={addressOf(file.image)} alt="" /> : <Icon name="journal" small />}
          <span>{file.name}</span>
          {file.kind === "text" && <span class="numbers">{bytes(bytesOf(file.text))}</span>}
          <IconButton icon="close" label={`Remove ${file.name}`} small onPress={() => remove(file.id)} />
        </li>
      ))}
      {isReading && (
        <li>
          <Spinner label="Reading the file" />
        </li>
      )}
    </ul>
  );
}
