/**
 * The type of a catalogue: the English texts are the model. A language that lacks a key, or whose
 * function takes other parameters, does not compile.
 */
import type { agents } from "./en/agents.ts";
import type { approvals } from "./en/approvals.ts";
import type { artifacts } from "./en/artifacts.ts";
import type { desktop } from "./en/desktop.ts";
import type { dialogs } from "./en/dialogs.ts";
import type { home } from "./en/home.ts";
import type { journal } from "./en/journal.ts";
import type { kit } from "./en/kit.ts";
import type { memory } from "./en/memory.ts";
import type { palette } from "./en/palette.ts";
import type { planned } from "./en/planned.ts";
import type { presets } from "./en/presets.ts";
import type { rules } from "./en/rules.ts";
import type { sessions } from "./en/sessions.ts";
import type { settings } from "./en/settings.ts";
import type { shell } from "./en/shell.ts";
import type { sources } from "./en/sources.ts";
import type { talk } from "./en/talk.ts";
import type { windows } from "./en/windows.ts";

/** All texts of the page in one language, by area. */
export type Catalogue = {
  agents: typeof agents;
  approvals: typeof approvals;
  artifacts: typeof artifacts;
  desktop: typeof desktop;
  dialogs: typeof dialogs;
  home: typeof home;
  journal: typeof journal;
  kit: typeof kit;
  memory: typeof memory;
  palette: typeof palette;
  planned: typeof planned;
  presets: typeof presets;
  rules: typeof rules;
  sessions: typeof sessions;
  settings: typeof settings;
  shell: typeof shell;
  sources: typeof sources;
  talk: typeof talk;
  windows: typeof windows;
};
