/** All English texts. Only tests read them as a whole: in the page each area comes with its view. */
import type { Catalogue } from "../catalogue.ts";
import { agents } from "./agents.ts";
import { approvals } from "./approvals.ts";
import { artifacts } from "./artifacts.ts";
import { desktop } from "./desktop.ts";
import { dialogs } from "./dialogs.ts";
import { home } from "./home.ts";
import { journal } from "./journal.ts";
import { kit } from "./kit.ts";
import { memory } from "./memory.ts";
import { palette } from "./palette.ts";
import { planned } from "./planned.ts";
import { presets } from "./presets.ts";
import { rules } from "./rules.ts";
import { sessions } from "./sessions.ts";
import { settings } from "./settings.ts";
import { shell } from "./shell.ts";
import { sources } from "./sources.ts";
import { talk } from "./talk.ts";
import { windows } from "./windows.ts";

export const english: Catalogue = {
  agents,
  approvals,
  artifacts,
  desktop,
  dialogs,
  home,
  journal,
  kit,
  memory,
  palette,
  planned,
  presets,
  rules,
  sessions,
  settings,
  shell,
  sources,
  talk,
  windows,
};
