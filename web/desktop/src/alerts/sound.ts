/** A short sound of two notes, made by the browser, so that no file is needed. */

const NOTES_HZ = [660, 880] as const;
const NOTE_SECONDS = 0.14;
const VOLUME = 0.12;

let context: AudioContext | undefined;

/**
 * Plays the sound. Browsers keep a page silent until the user has clicked or typed in it; then
 * nothing is heard.
 */
export async function playSound(): Promise<void> {
  context ??= new AudioContext();
  await context.resume();
  for (const [index, hertz] of NOTES_HZ.entries()) {
    const from = context.currentTime + index * NOTE_SECONDS;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = hertz;
    // Fading avoids the clicks of an abrupt end.
    volume.gain.setValueAtTime(VOLUME, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + NOTE_SECONDS);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(from + NOTE_SECONDS);
  }
}
