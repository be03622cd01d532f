/** The colour theme: the system's, unless the user chose one. */
import { effect, signal } from "@preact/signals";

/** The user's choice of theme. */
export type Theme = "auto" | "light" | "dark";

const KEY = "dwell.theme";
const kept = localStorage.getItem(KEY);

export const theme = signal<Theme>(kept === "light" || kept === "dark" ? kept : "auto");

effect(() => {
  const { dataset } = document.documentElement;
  if (theme.value === "auto") {
    delete dataset["theme"];
    localStorage.removeItem(KEY);
  } else {
    dataset["theme"] = theme.value;
    localStorage.setItem(KEY, theme.value);
  }
});
