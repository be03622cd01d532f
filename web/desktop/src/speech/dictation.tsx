/**
 * Voice input by the browser's own speech recognition. Browsers differ in where they recognize
 * speech: some send the sound to their maker, which the button says before it is pressed.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "../kit/button.tsx";
import { withHeard } from "./words.ts";

/** What this page uses of the browser's recognition. TypeScript's library does not have it yet. */
type Recognition = {
  continuous: boolean;
  interimResults: boolean;
  lang: string;
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  abort(): void;
  stop(): void;
};

function recognitionClass(): (new () => Recognition) | undefined {
  const found: unknown =
    Reflect.get(globalThis, "SpeechRecognition") ?? Reflect.get(globalThis, "webkitSpeechRecognition");
  return typeof found === "function" ? (found as new () => Recognition) : undefined;
}

const PROBLEMS: Record<string, string> = {
  "not-allowed": "The browser does not allow the microphone. Allow it in the settings of this site.",
  "service-not-allowed": "The browser does not allow speech recognition on this site.",
  "audio-capture": "There is no microphone.",
  network: "The browser's speech recognition cannot be reached.",
  "language-not-supported": "The browser does not recognize speech in your language.",
};

type Props = { text: string; onText: (text: string) => void; onProblem: (problem: string | undefined) => void };

/** The button that starts and ends voice input; nothing where the browser has none. */
export function Dictation({ text, onText, onProblem }: Props) {
  const [isOn, setOn] = useState(false);
  const running = useRef<Recognition | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const Recognizer = recognitionClass();
  if (!Recognizer || !globalThis.isSecureContext) return null;
  const start = () => {
    onProblem(undefined);
    const before = text;
    const recognition = new Recognizer();
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.lang = navigator.language;
    recognition.onresult = ({ results }) => {
      const heard = Array.from(results, (result) => result[0]?.transcript ?? "").join("");
      onText(withHeard(before, heard));
    };
    recognition.onerror = ({ error }) => {
      // Silence and the user's own end are no problems.
      if (error !== "no-speech" && error !== "aborted") onProblem(PROBLEMS[error] ?? `Voice input failed: ${error}.`);
    };
    recognition.onend = () => {
      running.current = undefined;
      setOn(false);
    };
    running.current = recognition;
    setOn(true);
    recognition.start();
  };
  return (
    <IconButton
      icon="microphone"
      label={isOn ? "Stop voice input" : "Voice input, by your browser's speech service"}
      pressed={isOn}
      onPress={() => (isOn ? running.current?.stop() : start())}
    />
  );
}
