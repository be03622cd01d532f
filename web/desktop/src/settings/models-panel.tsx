/** The models and their providers: limits, features, prices, and the origin of each figure. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { modelPage, readModels, refreshModels } from "../store/models.ts";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { exactTime, plainNumber } from "../kit/format.ts";
import { Badge, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { ModelChoices } from "./model-choices.tsx";
import { SearchBox } from "../kit/search-box.tsx";
import {
  formatFigure,
  modelsWith,
  formatPrice,
  providerState,
  describeProvider,
  figureSources,
} from "./model-figures.ts";
import { texts } from "../languages/settings.ts";
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
      const count = texts().modelSentence(data.length);
      announce([count, ...failed.map(({ name }) => texts().nameIsUnreachable(name))].join(" "));
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
      {page && <ModelChoices page={page} />}
      {page ? (
        <Models models={page.models ?? []} />
      ) : (
        problem === undefined && <Spinner label={texts().loadingModels} />
      )}
    </div>
  );
}

type ProvidersProps = { providers: readonly wire.ProviderView[]; isAsking: boolean; onRefresh: () => void };

function Providers({ providers, isAsking, onRefresh }: ProvidersProps) {
  if (providers.length === 0) {
    return <p>{texts().noLanguageModelSet}</p>;
  }
  return (
    <>
      <ul class="models-providers" aria-label={texts().providers}>
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
          {isAsking ? texts().refreshing : texts().refresh}
        </Button>
      </div>
    </>
  );
}

function Models({ models }: { models: readonly wire.ModelView[] }) {
  const [words, setWords] = useState("");
  if (models.length === 0) return <p class="models-soft">{texts().noModelsYet}</p>;
  const found = modelsWith(words, models);
  return (
    <>
      {models.length >= SEARCHED_FROM && (
        <SearchBox label={texts().searchModels} placeholder={texts().searchModels} value={words} onChange={setWords} />
      )}
      <div class="models-table scroll" tabIndex={0} role="region" aria-label={texts().models}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts().model}</th>
              <th scope="col">{texts().contextWindow}</th>
              <th scope="col">{texts().output}</th>
              <th scope="col">{texts().tools}</th>
              <th scope="col">{texts().images}</th>
              <th scope="col">{texts().thinking}</th>
              <th scope="col">{texts().priceIn}</th>
              <th scope="col">{texts().priceOut}</th>
              <th scope="col">{texts().priceCached}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, ROWS_MAX).map((model) => (
              <Row key={model.name} model={model} />
            ))}
          </tbody>
        </table>
      </div>
      {found.length === 0 && <p class="models-soft">{texts().noMatchingModels}</p>}
      {found.length > ROWS_MAX && (
        <p class="models-soft">{texts().andMoreModels(plainNumber(found.length - ROWS_MAX))}</p>
      )}
      <p class="models-soft">
        {texts().windowAndOutputAre}{" "}
        {figureSources()
          .map(([source, meaning]) => `${texts().figureSources[source]} (${meaning})`)
          .join(", ")}
        .
      </p>
    </>
  );
}

function Row({ model }: { model: wire.ModelView }) {
  const most = model.context_tokens_max;
  return (
    <tr>
      <th scope="row">
        {model.name} {model.is_default && <Badge tone="accent">{texts().default}</Badge>}
        {(model.notices ?? []).map((notice) => (
          <small key={notice}>{notice}</small>
        ))}
      </th>
      <Figure figure={model.context_tokens} note={most ? texts().ofMost(plainNumber(most)) : undefined} />
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
        <span class="unseen">{texts().unknown}</span>
      </td>
    );
  }
  return (
    <td class="numbers">
      {inWords(figure)} {note && <span class="models-note">{note} </span>}
      <small class={figure.source === "assumed" ? "is-assumed" : undefined}>
        {texts().figureSources[figure.source]}
      </small>
    </td>
  );
}
