/**
 * All German texts, loaded when German is chosen. One word for one thing:
 *
 * | English | German |
 * |---|---|
 * | session, conversation | Unterhaltung (the view: Chat) |
 * | turn | Durchgang; a round of the model within it is a Runde |
 * | run of a schedule | Ausführung; the schedule is a Plan |
 * | approval, allow, deny | Freigabe, erlauben, ablehnen |
 * | tool, call | Werkzeug, Aufruf |
 * | memory | Gedächtnis; what is in it: Gedächtniseintrag |
 * | vault, memory in a vault, entry | Ablage, Sammlung, Eintrag |
 * | reminder, alert, notification, toast | Erinnerung, Meldung, Benachrichtigung, Hinweis |
 * | monitor, window | Bildschirm, Fenster |
 * | source, passage, library | Quelle, Textstelle, Bibliothek |
 * | fork, pin, forget, redact | abzweigen, anheften, vergessen, schwärzen |
 * | untrusted | nicht vertrauenswürdig |
 * | home, workshop | Zuhause, Werkstatt |
 *
 * The reader is addressed as rarely as possible, and with “Sie” where it cannot be avoided.
 */
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

export const german: Catalogue = {
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
