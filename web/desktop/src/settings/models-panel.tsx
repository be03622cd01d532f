/** The models and their providers: limits, features, prices, and the origin of each figure. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { modelPage, readModels, refreshModels } from "../store/models.ts";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { exactTime, plainNumber } from "../kit/format.ts";
import { Badge, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { SearchBox } from "../kit/search-box.tsx";
import { formatFigure, modelsWith, formatPrice, providerState, describeProvider, SOURCES } from "./model-figures.ts";
import "./models.css";

/** The maximum number of rows; a provider may list hundreds. */
const ROWS_MAX = 100;
/** From this many models on there is a search box. */
const SEARCHED_FROM = 10;

/** Providers and models, reloaded each time they are shown. */
export function ModelsPanel() {
  const [problem, setProblem] = useState<unknown>();
  const [isAsking, setAsking] = useState(false);
  const page = modelPage.value;
  useEffect(() => void readModels().catch(setProblem), []);
  const refresh = async () => {
    setAsking(true);
    setProblem(undefined);
    try {
      const { providers = [], data } = await refreshModels();
      const failed = providers.filter(({ error }) => error);
      const count = data.length === 1 ? "1 model." : `${data.length} models.`;
      announce([count, ...failed.map(({ name }) => `${name} is unreachable.`)].join(" "));
    } catch (error) {
      setProblem(error);
    } finally {
      setAsking(false);
    }
  };
  return (
    <div class="models" aria-busy={isAsking}>
      {problem !== undefined && <ErrorNotice error={problem} />}
      {page && <Providers providers={page.providers ?? []} isAsking={isAsking} onRefresh={() => void refresh()} />}
      {page ? <Models models={page.models ?? []} /> : problem === undefined && <Spinner label="Loading models" />}
    </div>
  );
}

type ProvidersProps = { providers: readonly wire.ProviderView[]; isAsking: boolean; onRefresh: () => void };

function Providers({ providers, isAsking, onRefresh }: ProvidersProps) {
  if (providers.length === 0) {
    return <HowToSetUp />;
  }
  return (
    <>
      <ul class="models-providers" aria-label="Providers">
        {providers.map((provider) => {
          const state = providerState(provider);
          return (
            <li key={provider.name}>
              <p>
                <b>{provider.name}</b>{" "}
                <span title={provider.asked_at ? exactTime(provider.asked_at) : undefined}>
                  <Badge tone={state.isBad ? "danger" : provider.asked_at ? "success" : "plain"}>{state.words}</Badge>
                </span>
              </p>
              <p class="models-soft">{describeProvider(provider)}</p>
              {provider.error && <p class="models-bad">{provider.error}</p>}
            </li>
          );
        })}
      </ul>
      <div>
        <Button small icon="retry" disabled={isAsking} onPress={onRefresh}>
          {isAsking ? "Refreshing…" : "Refresh"}
        </Button>
      </div>
    </>
  );
}

/** Shown while only the built-in offline model answers. */
function HowToSetUp() {
  return (
    <div class="models-setup">
      <p>No language model is set up. The built-in offline model answers by rules.</p>
      <p>To set one up, start the server with one of these variables:</p>
      <ul>
        <li>
          <code>OPENAI_API_KEY</code>, <code>ANTHROPIC_API_KEY</code> or <code>GEMINI_API_KEY</code>: a key of that
          provider
        </li>
        <li>
          <code>OLLAMA_HOST</code>: the address of an Ollama server
        </li>
        <li>
          <code>OPENAI_BASE_URL</code>: the address of any server with an OpenAI-compatible API
        </li>
      </ul>
    </div>
  );
}

function Models({ models }: { models: readonly wire.ModelView[] }) {
  const [words, setWords] = useState("");
  if (models.length === 0) return <p class="models-soft">No models yet.</p>;
  const found = modelsWith(words, models);
  return (
    <>
      {models.length >= SEARCHED_FROM && (
        <SearchBox label="Search models" placeholder="Search models" value={words} onChange={setWords} />
      )}
      <div class="models-table scroll" tabIndex={0} role="region" aria-label="Models">
        <table>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Context window</th>
              <th scope="col">Output</th>
              <th scope="col">Tools</th>
              <th scope="col">Images</th>
              <th scope="col">Thinking</th>
              <th scope="col">Price in</th>
              <th scope="col">Price out</th>
              <th scope="col">Price cached</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, ROWS_MAX).map((model) => (
              <Row key={model.name} model={model} />
            ))}
          </tbody>
        </table>
      </div>
      {found.length === 0 && <p class="models-soft">No matching models.</p>}
      {found.length > ROWS_MAX && (
        <p class="models-soft">And {plainNumber(found.length - ROWS_MAX)} more. Search to find them.</p>
      )}
      <p class="models-soft">
        Window and output are in tokens, prices in US dollars per million tokens. The source of each figure is below it:{" "}
        {SOURCES.map(([source, meaning]) => `${source} (${meaning})`).join(", ")}.
      </p>
    </>
  );
}

function Row({ model }: { model: wire.ModelView }) {
  const most = model.context_tokens_max;
  return (
    <tr>
      <th scope="row">
        {model.name} {model.is_default && <Badge tone="accent">default</Badge>}
        {(model.notices ?? []).map((notice) => (
          <small key={notice}>{notice}</small>
        ))}
      </th>
      <Figure figure={model.context_tokens} note={most ? `of ${plainNumber(most)}` : undefined} />
      <Figure figure={model.output_tokens} />
      <Figure figure={model.tools} />
      <Figure figure={model.images} />
      <Figure figure={model.thinking} />
      <Figure figure={model.price_in} inWords={formatPrice} />
      <Figure figure={model.price_out} inWords={formatPrice} />
      <Figure figure={model.price_cached} inWords={formatPrice} />
    </tr>
  );
}

type FigureProps = {
  figure: wire.ModelFigure | null | undefined;
  inWords?: (figure: wire.ModelFigure) => string;
  note?: string | undefined;
};

function Figure({ figure, inWords = formatFigure, note }: FigureProps) {
  if (!figure) {
    return (
      <td class="numbers">
        <span aria-hidden="true">–</span>
        <span class="unseen">unknown</span>
      </td>
    );
  }
  return (
    <td class="numbers">
      {inWords(figure)} {note && <span class="models-note">{note} </span>}
      <small class={figure.source === "assumed" ? "is-assumed" : undefined}>{figure.source}</small>
    </td>
  );
}
