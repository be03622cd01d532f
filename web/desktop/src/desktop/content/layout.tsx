/** Things to press and to fill in. A button sends what its form holds to the window's agent. */
import type { wire } from "@dwell/client";
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { announce } from "../../kit/announce.ts";
import { Badge, Spinner, Trouble } from "../../kit/pieces.tsx";
import { useDesk } from "../context.ts";
import { type Field, fieldsOf, formData } from "../fields.ts";
import { FieldInput, Picture, Progress } from "./fields-view.tsx";

type Button = Extract<wire.Component, { type: "button" }>;
type Press = (button: Button, path: string, fields: readonly Field[]) => void;

/** What a component knows of the window it stands in. */
type Within = { windowId: string; press: Press; isSending: (path: string) => boolean };
const Place = createContext<Within | undefined>(undefined);
/** What a component stands in: the fields that go with its buttons, and what pressing Enter presses. */
type Group = { fields: readonly Field[]; submit: (() => void) | undefined };

/** A layout of components. */
export function Layout(props: { windowId: string; columns: number; components: readonly wire.Component[] }) {
  const { windowId, columns, components } = props;
  const desk = useDesk();
  const [sending, setSending] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const acts = [...desk.acts.value.values()].filter((act) => act.windowId === windowId);
  const press: Press = (button, path, fields) => {
    const { action, label, parallel } = button;
    setProblem(undefined);
    setSending((now) => [...now, path]);
    const data = formData(fields, (field) => desk.typed.value(windowId, field));
    desk
      .press(windowId, { action, form_data: data, component_path: path, parallel })
      .then(() => announce(`${label}: the window's agent is at it`))
      .catch(setProblem)
      .finally(() => setSending((now) => now.filter((one) => one !== path)));
  };
  const isSending = (path: string) => sending.includes(path) || acts.some((act) => act.path === path);
  const fields = fieldsOf(components, false);
  return (
    <Place.Provider value={{ windowId, press, isSending }}>
      <div class="desk-layout desk-pad" data-columns={Math.min(4, Math.max(1, columns))}>
        <List components={components} path="components" group={{ fields, submit: undefined }} />
      </div>
      {problem !== undefined && (
        <div class="desk-pad">
          <Trouble error={problem} />
        </div>
      )}
    </Place.Provider>
  );
}

function List({ components, path, group }: { components: readonly wire.Component[]; path: string; group: Group }) {
  return (
    <>
      {components.map((component, index) => (
        <One key={keyOf(component, index)} component={component} path={`${path}[${index}]`} group={group} />
      ))}
    </>
  );
}

/** What has a name is the same when it stands elsewhere: whoever is typing goes on. */
function keyOf(component: wire.Component, index: number): string {
  return "name" in component ? `${component.type} ${component.name}` : String(index);
}

function One({ component, path, group }: { component: wire.Component; path: string; group: Group }) {
  const place = useContext(Place);
  if (place === undefined) return null;
  switch (component.type) {
    case "text":
      return <p class="desk-words">{component.text}</p>;
    case "badge":
      return (
        <div>
          <Badge tone={component.tone}>{component.text}</Badge>
        </div>
      );
    case "progress":
      return <Progress label={component.label} percent={component.percent} />;
    case "image":
      return <Picture source={component.source} alt={component.alt} />;
    case "button":
      return <Pressable button={component} path={path} group={group} />;
    case "input":
    case "select":
    case "checkbox":
      return <Filled field={component} windowId={place.windowId} submit={group.submit} />;
    case "form":
      return <Form form={component} path={path} place={place} />;
    case "columns":
      return (
        <div class="desk-columns">
          {component.columns.map((column, index) => (
            <div key={index}>
              <List components={column} path={`${path}.columns[${index}]`} group={group} />
            </div>
          ))}
        </div>
      );
    default:
      throw new Error(`This page does not know the component ${String((component as { type: unknown }).type)}`);
  }
}

function Form(props: { form: Extract<wire.Component, { type: "form" }>; path: string; place: Within }) {
  const { form, path, place } = props;
  const fields = fieldsOf(form.components, true);
  const first = firstButton(form.components, `${path}.components`);
  const submit = first && (() => place.isSending(first.path) || place.press(first.button, first.path, fields));
  return (
    <form
      class="desk-form"
      aria-label={form.name}
      onSubmit={(event) => {
        event.preventDefault();
        submit?.();
      }}
    >
      <List
        components={form.components}
        path={`${path}.components`}
        group={{ fields, submit: submit && (() => void submit()) }}
      />
    </form>
  );
}

/** The button that Enter presses. */
function firstButton(
  components: readonly wire.Component[],
  path: string,
): { button: Button; path: string } | undefined {
  for (const [index, component] of components.entries()) {
    const here = `${path}[${index}]`;
    if (component.type === "button") return { button: component, path: here };
    if (component.type !== "columns") continue;
    for (const [column, inside] of component.columns.entries()) {
      const found = firstButton(inside, `${here}.columns[${column}]`);
      if (found) return found;
    }
  }
  return undefined;
}

const KINDS: Record<wire.Tone, string> = { plain: "", info: "", success: "primary", warning: "", danger: "danger" };

function Pressable({ button, path, group }: { button: Button; path: string; group: Group }) {
  const place = useContext(Place);
  const isSending = place?.isSending(path) ?? false;
  const isFirst = group.submit !== undefined;
  const kind = button.tone && button.tone !== "plain" ? KINDS[button.tone] : isFirst ? "primary" : "";
  return (
    <div>
      <button
        class={`button ${kind}`}
        type="button"
        // A button that is disabled loses the focus, and who works by keyboard their place.
        aria-disabled={isSending}
        aria-busy={isSending}
        onClick={() => !isSending && place?.press(button, path, group.fields)}
      >
        {isSending && <Spinner label="The agent is at it" />}
        {button.label}
      </button>
    </div>
  );
}

function Filled(props: { field: Field; windowId: string; submit: (() => void) | undefined }) {
  const { field, windowId, submit } = props;
  const { typed } = useDesk();
  const [, redraw] = useState(0);
  return (
    <FieldInput
      field={field}
      value={typed.value(windowId, field)}
      onChange={(value) => {
        typed.type(windowId, field, value);
        redraw((count) => count + 1);
      }}
      onEnter={submit}
    />
  );
}
