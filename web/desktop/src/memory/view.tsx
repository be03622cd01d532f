/** The memory view: profile, facts, people and things, vaults, search, library, and the context of turns. */
import { useEffect, useState } from "preact/hooks";
import { addressOf } from "../kit/address.ts";
import { announce } from "../kit/announce.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu } from "../kit/menu.tsx";
import { Tabs } from "../kit/pieces.tsx";
import { go, place } from "../route.ts";
import { MemoryDialogs } from "./dialogs.tsx";
import { AuditDialog } from "./audit.tsx";
import { feedback, syncMemory } from "./change.ts";
import { EXPORT_PATH, exportName, ImportDialog } from "./exchange.tsx";
import { FactsTab } from "./facts.tsx";
import { GraphTab } from "./graph.tsx";
import { LibraryTab } from "./library.tsx";
import { ProfileTab } from "./profile.tsx";
import { SearchTab } from "./search.tsx";
import { tabOf, memoryTabs } from "./tabs.ts";
import { ContextTab } from "./context.tsx";
import { VaultsTab } from "./vaults.tsx";
import { texts } from "../languages/memory.ts";
import "./memory.css";
import "./parts.css";
import "./graph.css";

/** The memory view. */
export function MemoryView() {
  const [asked, setAsked] = useState<"import" | "audit">();
  useEffect(() => syncMemory(), []);
  const { session, detail } = place.value;
  const { tab, turn } = tabOf(detail);
  const close = () => setAsked(undefined);
  const download = () => {
    const link = document.createElement("a");
    link.href = addressOf(EXPORT_PATH);
    link.download = exportName();
    link.click();
    announce(texts().downloadStarted);
  };
  return (
    <div class="page memory">
      <header class="page-head">
        <h1>{texts().memory}</h1>
        <div class="memory-head-wide">
          <Button icon="eye" kind="plain" onPress={() => setAsked("audit")}>
            {texts().audit}
          </Button>
          <Button icon="upload" kind="plain" onPress={() => setAsked("import")}>
            {texts().import}
          </Button>
          <a
            class="button plain"
            href={EXPORT_PATH}
            download={exportName()}
            onClick={() => announce(texts().downloadStarted)}
          >
            <Icon name="download" small />
            {texts().export}
          </a>
        </div>
        <div class="memory-head-narrow">
          <Menu
            label={texts().moreMenu}
            small={false}
            items={[
              { label: texts().audit, icon: "eye", onPick: () => setAsked("audit") },
              { label: texts().import, icon: "upload", onPick: () => setAsked("import") },
              { label: texts().export, icon: "download", onPick: download },
            ]}
          />
        </div>
      </header>
      <div class="memory-body scroll" tabIndex={-1}>
        <div class="memory-column">
          <div class="memory-tabs">
            <Tabs
              label={texts().memory}
              tabs={memoryTabs()}
              value={tab}
              onChange={(next) => go({ view: "memory", session, detail: next === "profile" ? undefined : next })}
            />
          </div>
          <Feedback />
          <div role="tabpanel" aria-label={memoryTabs().find(({ id }) => id === tab)?.label} class="memory-panel">
            {tab === "profile" && <ProfileTab />}
            {tab === "facts" && <FactsTab />}
            {tab === "people" && <GraphTab />}
            {tab === "vaults" && <VaultsTab />}
            {tab === "search" && <SearchTab />}
            {tab === "library" && <LibraryTab />}
            {tab === "used" && <ContextTab session={session} turn={turn} />}
          </div>
        </div>
      </div>
      {asked === "audit" && <AuditDialog onClose={close} />}
      {asked === "import" && <ImportDialog onClose={close} />}
      <MemoryDialogs />
    </div>
  );
}

/** The confirmation of the last change; it disappears by itself. */
function Feedback() {
  if (!feedback.value) return null;
  return (
    <div class="memory-feedback">
      <Icon name="check" small />
      <p>{feedback.value}</p>
      <IconButton icon="close" label={texts().dismiss} small onPress={() => (feedback.value = undefined)} />
    </div>
  );
}
