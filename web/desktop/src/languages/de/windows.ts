/** German texts: the contents of windows. */
import type { windows as English } from "../en/windows.ts";

export const windows: typeof English = {
  choose: "Auswählen …",
  progress: "Fortschritt",
  sentWindowsAgent: (label) => `${label}: an den Agenten des Fensters gesendet`,
  theAgentWasNotified: ". Der Agent weiß davon. Er kann es auf andere Weise zeigen.",
  theAppHasNo: (app) => `Die App ${app} hat kein Token`,
  thisWindowCannotBe: "Dieses Fenster lässt sich nicht anzeigen.",
  unknownComponentType: (type) => `Unbekannter Bestandteil: ${type}`,
  unknownContentType: (type) => `Unbekannte Art von Inhalt: ${type}`,
  working: "Arbeitet",
  imageGone: (alt) =>
    alt === "" ? "Das Bild ist nicht mehr verfügbar." : `Das Bild „${alt}“ ist nicht mehr verfügbar.`,
};
