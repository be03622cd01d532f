/** What was asked: the words, the pictures, and the files that came along. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Asked } from "../house/turn.ts";
import { CodeBlock } from "../kit/code.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { bytes } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { bytesOf, splitFiles } from "./files.ts";

/** Longer messages are cut until somebody wants all of it. */
const CUT = 1_400;

/** A message of the user. */
export function AskedMessage({
  asked,
  children,
}: {
  asked: Pick<Asked, "message" | "images" | "calls">;
  children?: ComponentChildren;
}) {
  const { words, files } = splitFiles(asked.message);
  const images = asked.images ?? [];
  const calls = words === "" ? (asked.calls ?? []) : [];
  return (
    <div class="talk-asked">
      {images.length > 0 && <Pictures images={images} />}
      {files.map((file, index) => (
        <details key={index} class="talk-file">
          <summary>
            <Icon name="attach" small />
            {file.name} <span class="numbers">{bytes(bytesOf(file.text))}</span>
          </summary>
          <CodeBlock code={file.text} language={file.language} />
        </details>
      ))}
      {words !== "" && <Words text={words} />}
      {calls.map((call, index) => (
        <p key={index} class="talk-bubble">
          {toolInWords(call.tool)}
        </p>
      ))}
      {children}
    </div>
  );
}

function Words({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= CUT);
  return (
    <div class="talk-bubble">
      {isWhole ? text : `${text.slice(0, CUT)}…`}
      {!isWhole && (
        <button type="button" class="talk-show-all" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
    </div>
  );
}

function Pictures({ images }: { images: readonly wire.Image[] }) {
  const [large, setLarge] = useState<number>();
  const shown = large === undefined ? undefined : addressOf(images[large]);
  return (
    <div class="talk-pictures">
      {images.map((image, index) => {
        const address = addressOf(image);
        const name = images.length === 1 ? "Picture" : `Picture ${index + 1} of ${images.length}`;
        if (address === undefined) return <span key={index}>{name} (kept elsewhere)</span>;
        return (
          <button key={index} type="button" onClick={() => setLarge(index)} aria-label={`${name}, show larger`}>
            <img src={address} alt="" />
          </button>
        );
      })}
      {shown !== undefined && (
        <Dialog title="Picture" class="talk-large" onClose={() => setLarge(undefined)}>
          <img src={shown} alt="The picture that was sent" />
        </Dialog>
      )}
    </div>
  );
}

/** A picture that is with the message; one that is elsewhere is not loaded. */
export function addressOf(image: wire.Image | undefined): string | undefined {
  return image && "data" in image ? `data:${image.media_type};base64,${image.data}` : undefined;
}
