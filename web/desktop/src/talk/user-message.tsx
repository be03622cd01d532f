/** A message of the user: text, images and files. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { TurnRequest } from "../store/turn.ts";
import { CodeBlock } from "../kit/code.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { bytes } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { bytesOf, splitFiles } from "./files.ts";
import { texts } from "../languages/talk.ts";

/** Longer messages are collapsed. */
const CUT = 1_400;

/** A message of the user. */
export function UserMessage({
  asked,
  children,
}: {
  asked: Pick<TurnRequest, "message" | "images" | "calls">;
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
          {texts().showAll}
        </button>
      )}
    </div>
  );
}

function Pictures({ images }: { images: readonly wire.Image[] }) {
  const [large, setLarge] = useState<number>();
  const shown = large === undefined ? undefined : imageUrl(images[large]);
  return (
    <div class="talk-pictures">
      {images.map((image, index) => {
        const address = imageUrl(image);
        const name = images.length === 1 ? texts().image : texts().imageIndexOfImages(index + 1, images.length);
        if (address === undefined)
          return (
            <span key={index}>
              {name} {texts().storedElsewhere}
            </span>
          );
        return (
          <button key={index} type="button" onClick={() => setLarge(index)} aria-label={texts().nameShowLarger(name)}>
            <img src={address} alt="" />
          </button>
        );
      })}
      {shown !== undefined && (
        <Dialog title={texts().image} class="talk-large" onClose={() => setLarge(undefined)}>
          <img src={shown} alt={texts().theAttachedImage} />
        </Dialog>
      )}
    </div>
  );
}

/** The data URL of an image in the message; remote images are not loaded. */
export function imageUrl(image: wire.Image | undefined): string | undefined {
  return image && "data" in image ? `data:${image.media_type};base64,${image.data}` : undefined;
}
