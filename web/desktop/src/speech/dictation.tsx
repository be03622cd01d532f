/**
 * Voice input by the browser's own speech recognition. Browsers differ in where they recognize
 * speech: some send the sound to their maker, which the button says before it is pressed.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "../kit/button.tsx";
import { withHeard } from "./words.ts";
import { locale } from "../languages/current.ts";
import { texts } from "../languages/kit.ts";

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

function problemTexts(): Record<string, string> {
  return {
    "not-allowed": texts().theBrowserDoesNot,
    "service-not-allowed": texts().theBrowserDoesNotAllow,
    "audio-capture": texts().thereIsNoMicrophone,
    network: texts().theBrowsersSpeechRecognition,
    "language-not-supported": texts().theBrowserDoesNotRecognize,
  };
}

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
    recognition.lang = locale.peek() ?? navigator.language;
    recognition.onresult = ({ results }) => {
      const heard = Array.from(results, (result) => result[0]?.transcript ?? "").join("");
      onText(withHeard(before, heard));
    };
    recognition.onerror = ({ error }) => {
      // Silence and the user's own end are no problems.
      if (error !== "no-speech" && error !== "aborted")
        onProblem(problemTexts()[error] ?? texts().voiceInputFailed(error));
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
      label={isOn ? texts().stopVoiceInput : texts().voiceInputByYour}
      pressed={isOn}
      onPress={() => (isOn ? running.current?.stop() : start())}
    />
  );
}
