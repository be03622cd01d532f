/** Memory: what is remembered, where it comes from, and what was told to a turn. */
import { useEffect, useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu } from "../kit/menu.tsx";
import { Tabs } from "../kit/pieces.tsx";
import { go, place } from "../route.ts";
import { Asking } from "./ask.tsx";
import { AuditDialog } from "./audit.tsx";
import { feedback, keepInStep } from "./change.ts";
import { EXPORT_PATH, exportName, ImportDialog } from "./exchange.tsx";
import { FactsTab } from "./facts.tsx";
import { LibraryTab } from "./library.tsx";
import { ProfileTab } from "./profile.tsx";
import { SearchTab } from "./search.tsx";
import { tabOf, TABS } from "./tabs.ts";
import { UsedTab } from "./used.tsx";
import { VaultsTab } from "./vaults.tsx";
import "./memory.css";
import "./parts.css";

/** The view. */
export function MemoryView() {
  const [asked, setAsked] = useState<"import" | "audit">();
  useEffect(() => keepInStep(), []);
  const { session, detail } = place.value;
  const { tab, turn } = tabOf(detail);
  const close = () => setAsked(undefined);
  const download = () => {
    const link = document.createElement("a");
    link.href = EXPORT_PATH;
    link.download = exportName();
    link.click();
    announce("The download begins");
  };
  return (
    <div class="page memory">
      <header class="page-head">
        <h1>Memory</h1>
        <div class="memory-head-wide">
          <Button icon="eye" kind="plain" onPress={() => setAsked("audit")}>
            Look through
          </Button>
          <Button icon="upload" kind="plain" onPress={() => setAsked("import")}>
            Import
          </Button>
          <a
            class="button plain"
            href={EXPORT_PATH}
            download={exportName()}
            onClick={() => announce("The download begins")}
          >
            <Icon name="download" small />
            Export
          </a>
        </div>
        <div class="memory-head-narrow">
          <Menu
            label="More of memory"
            small={false}
            items={[
              { label: "Look through", icon: "eye", onPick: () => setAsked("audit") },
              { label: "Import", icon: "upload", onPick: () => setAsked("import") },
              { label: "Export", icon: "download", onPick: download },
            ]}
          />
        </div>
      </header>
      <div class="memory-body scroll" tabIndex={-1}>
        <div class="memory-column">
          <div class="memory-tabs">
            <Tabs
              label="Parts of memory"
              tabs={TABS}
              value={tab}
              onChange={(next) => go({ view: "memory", session, detail: next === "profile" ? undefined : next })}
            />
          </div>
          <Feedback />
          <div role="tabpanel" aria-label={TABS.find(({ id }) => id === tab)?.label} class="memory-panel">
            {tab === "profile" && <ProfileTab />}
            {tab === "facts" && <FactsTab />}
            {tab === "vaults" && <VaultsTab />}
            {tab === "search" && <SearchTab />}
            {tab === "library" && <LibraryTab />}
            {tab === "used" && <UsedTab session={session} turn={turn} />}
          </div>
        </div>
      </div>
      {asked === "audit" && <AuditDialog onClose={close} />}
      {asked === "import" && <ImportDialog onClose={close} />}
      <Asking />
    </div>
  );
}

/** What was done last; it goes by itself. */
function Feedback() {
  if (!feedback.value) return null;
  return (
    <div class="memory-feedback">
      <Icon name="check" small />
      <p>{feedback.value}</p>
      <IconButton icon="close" label="Dismiss" small onPress={() => (feedback.value = undefined)} />
    </div>
  );
}
