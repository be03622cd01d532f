/** The page's shell: navigation rail, current view, and the overlays that every view shares. */
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { AlertNotices } from "./alerts/notices.tsx";
import { followAlerts } from "./alerts/store.ts";
import { titleWith } from "./alerts/waiting.ts";
import { waitingCount, watchWaiting } from "./alerts/watch.ts";
import { Files } from "./artifacts/files.tsx";
import { QuestionNotes, Questions } from "./desktop/questions.tsx";
import { Toasts } from "./desktop/toasts.tsx";
import { SignInView } from "./sign-in/view.tsx";
import { connection } from "./store/connection.ts";
import { entry } from "./store/sign-in.ts";
import { current, titleOf } from "./store/sessions.ts";
import { announced } from "./kit/announce.ts";
import { lazy } from "./kit/lazy.tsx";
import { EmptyState, Spinner } from "./kit/pieces.tsx";
import { useShortcuts } from "./palette/keys.ts";
import { openPalette } from "./palette/open.ts";
import { openPresets } from "./presets/open.ts";
import { viewNames, Rail } from "./rail.tsx";
import { hrefOf, place, type View } from "./route.ts";
import { openSettings } from "./settings/open.ts";
import { ApprovalNotes, Approvals } from "./talk/approvals.tsx";
import { followBranches } from "./talk/branches/store.ts";
import { printed } from "./talk/print/open.ts";
import { sessionDialog } from "./talk/sessions/asked.ts";
import { SourcePanel } from "./talk/sources.tsx";
import { turnDialog } from "./talk/turn-dialog.ts";
import { TalkView } from "./talk/view.tsx";
import { texts } from "./languages/shell.ts";

const PAGES: Record<View, ComponentType> = {
  talk: TalkView,
  desktop: lazy(async () => (await import("./desktop/view.tsx")).DesktopView),
  memory: lazy(async () => (await import("./memory/view.tsx")).MemoryView),
  agents: lazy(async () => (await import("./agents/view.tsx")).AgentsView),
  journal: lazy(async () => (await import("./journal/view.tsx")).JournalView),
  home: lazy(async () => (await import("./home/view.tsx")).HomeView),
  planned: lazy(async () => (await import("./planned/view.tsx")).PlannedView),
};
const Palette = lazy(async () => (await import("./palette/palette.tsx")).Palette, true);
const SessionDialogs = lazy(async () => (await import("./talk/sessions/dialogs.tsx")).SessionDialogs, true);
const SettingsDialog = lazy(async () => (await import("./settings/dialog.tsx")).SettingsDialog, true);
const PresetsDialog = lazy(async () => (await import("./presets/dialog.tsx")).PresetsDialog, true);
const PrintSheet = lazy(async () => (await import("./talk/print/sheet.tsx")).PrintSheet, true);
const TurnDialogs = lazy(async () => (await import("./talk/turn-dialogs.tsx")).TurnDialogs, true);
const TimerStrip = lazy(async () => (await import("./planned/timers.tsx")).TimerStrip, true);
/** The views that show everything, not one session. */
const GENERAL: readonly View[] = ["memory", "home", "planned"];

/** The whole page. */
export function App() {
  const { state } = entry.value;
  if (state === "checking") return <div class="entry">{<Spinner label={texts().openingDwell} />}</div>;
  return state === "in" ? <Shell /> : <SignInView />;
}

function Shell() {
  const { view, broken } = place.value;
  const Page = PAGES[view];
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const session = current.value?.session.value;
  const waits = waitingCount.value;
  const name = viewNames()[view];
  useEffect(() => {
    const about = session && !GENERAL.includes(view) ? `${titleOf(session)} · ` : "";
    document.title = titleWith(waits, `${about}${name} · Dwell`);
  }, [view, name, session, waits]);
  useShortcuts();
  useEffect(() => watchWaiting(), []);
  useEffect(() => followAlerts(), []);
  useEffect(() => followBranches(), []);
  useEffect(() => {
    // Keyboard users continue in the view they switched to.
    if (!first.current && !main.current?.contains(document.activeElement)) main.current?.focus();
    first.current = false;
  }, [view]);
  return (
    <div class="shell">
      <a class="button skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {texts().skipToContent}
      </a>
      <Rail />
      <main class="main" id="main" ref={main} tabIndex={-1}>
        <ConnectionBanner />
        <TimerStrip />
        <div class="view">{broken === undefined ? <Page key={view} /> : <BrokenLink address={broken} />}</div>
      </main>
      <Toasts>
        <AlertNotices />
      </Toasts>
      <Questions />
      <Approvals />
      <div class="approvals-notes">
        <QuestionNotes />
        <ApprovalNotes />
      </div>
      <SourcePanel />
      <Files />
      {openSettings.value && <SettingsDialog />}
      {sessionDialog.value && <SessionDialogs />}
      {openPresets.value && <PresetsDialog />}
      {printed.value && <PrintSheet />}
      {turnDialog.value && <TurnDialogs />}
      {openPalette.value && <Palette />}
      <div class="unseen" role="status" aria-live="polite">
        {announced.value}
      </div>
    </div>
  );
}

/** Shown for an address that leads nowhere. */
function BrokenLink({ address }: { address: string }) {
  return (
    <EmptyState icon="link" title={texts().thisLinkDoesNot}>
      <p>
        {texts().theAddress} <code class="broken-link">{address}</code> {texts().isIncompleteOrMisspelt}
      </p>
      <p class="broken-way-out">
        <a class="button primary" href={hrefOf({ view: "talk" })}>
          {texts().goToChat}
        </a>
      </p>
    </EmptyState>
  );
}

function ConnectionBanner() {
  if (connection.value !== "down") return <div role="status" />;
  return (
    <div class="link-lost" role="status">
      <Spinner label="" />
      {texts().connectionLostReconnectingNothing}
    </div>
  );
}
