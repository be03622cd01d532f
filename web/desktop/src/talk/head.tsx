/** The header of a conversation: title, model, files, link to the desktop. */
import { showFiles } from "../artifacts/files.tsx";
import type { Conversation } from "../store/conversation.ts";
import { titleOf } from "../store/sessions.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Badge } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { attempt } from "./attempt.ts";
import { modelForNew, models } from "./models.ts";
import { texts } from "../languages/talk.ts";

type Props = { conversation: Conversation | undefined; isListOpen: boolean; onList: () => void };

/** The header. */
export function TalkHead({ conversation, isListOpen, onList }: Props) {
  const session = conversation?.session.value;
  const given = session?.settings.preferences?.["persona"];
  const persona = typeof given === "string" && given !== "" ? given : undefined;
  return (
    <header class="page-head talk-head">
      <IconButton
        icon="list"
        label={isListOpen ? texts().hideSessions : texts().showSessions}
        expanded={isListOpen}
        onPress={onList}
      />
      <h1>{session ? titleOf(session) : texts().newConversation}</h1>
      {session && session.status !== "active" && <Badge>{session.status}</Badge>}
      {persona !== undefined && <Badge tone="accent">{persona}</Badge>}
      <ModelChoice conversation={conversation} />
      {conversation && (
        <IconButton icon="file" label={texts().filesInThisConversation} onPress={() => showFiles(conversation.id)} />
      )}
      {conversation && <ToDesktop conversation={conversation} />}
    </header>
  );
}

function ToDesktop({ conversation }: { conversation: Conversation }) {
  const count = conversation.desktop.view.value?.windows.length ?? 0;
  const words = count === 0 ? texts().desktop : texts().windowCount(count);
  return (
    <a
      class="button plain small talk-to-desktop"
      href={hrefOf({ view: "desktop", session: conversation.id })}
      aria-label={count === 0 ? words : texts().desktopWords(words)}
    >
      <Icon name="desktop" small />
      <span class="numbers">{words}</span>
    </a>
  );
}

/** Selects the model, from the next turn on. */
function ModelChoice({ conversation }: { conversation: Conversation | undefined }) {
  const settings = conversation?.session.value.settings;
  const chosen = conversation ? (settings?.model ?? "") : (modelForNew.value ?? "");
  const names = models.value.includes(chosen) || chosen === "" ? models.value : [chosen, ...models.value];
  if (names.length === 0) return null;
  const isFixed = settings?.policy?.fixed_model ?? false;
  const choose = (model: string) => {
    if (!conversation) modelForNew.value = model === "" ? undefined : model;
    else if (model !== "") void attempt(() => conversation.setModel(model));
  };
  return (
    <label class="talk-model">
      <span class="unseen">{texts().model}</span>
      <select
        value={chosen}
        disabled={isFixed || (conversation && conversation.session.value.status !== "active")}
        title={isFixed ? texts().theModelThisSession : texts().model}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {chosen === "" && <option value="">{texts().default}</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <Icon name="down" small />
    </label>
  );
}
