/**
 * Interactive components in a window. A button sends the values of its form to the window's agent.
 */
import type { wire } from "@dwell/client";
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { announce } from "../../kit/announce.ts";
import { Badge, Spinner, ErrorNotice } from "../../kit/pieces.tsx";
import { useDesktop } from "../context.ts";
import { type Field, fieldsOf, formData } from "../fields.ts";
import { FieldInput, Picture, Progress } from "./fields-view.tsx";
import { texts } from "../../languages/windows.ts";

type Button = Extract<wire.Component, { type: "button" }>;
type Press = (button: Button, path: string, fields: readonly Field[]) => void;

/** What components need of their window. */
type WindowActions = { windowId: string; press: Press; isSending: (path: string) => boolean };
const WindowContext = createContext<WindowActions | undefined>(undefined);
/** A component's group: the fields sent with its buttons, and the action of the Enter key. */
type Group = { fields: readonly Field[]; submit: (() => void) | undefined };

/** A layout of components. */
export function Layout(props: { windowId: string; columns: number; components: readonly wire.Component[] }) {
  const { windowId, columns, components } = props;
  const desktop = useDesktop();
  const [sending, setSending] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const acts = [...desktop.acts.value.values()].filter((act) => act.windowId === windowId);
  const press: Press = (button, path, fields) => {
    const { action, label, parallel } = button;
    setProblem(undefined);
    setSending((now) => [...now, path]);
    const data = formData(fields, (field) => desktop.formInput.value(windowId, field));
    desktop
      .press(windowId, { action, form_data: data, component_path: path, parallel })
      .then(() => announce(texts().sentWindowsAgent(label)))
      .catch(setProblem)
      .finally(() => setSending((now) => now.filter((one) => one !== path)));
  };
  const isSending = (path: string) => sending.includes(path) || acts.some((act) => act.path === path);
  const fields = fieldsOf(components, false);
  return (
    <WindowContext.Provider value={{ windowId, press, isSending }}>
      <div class="desktop-layout desktop-pad" data-columns={Math.min(4, Math.max(1, columns))}>
        <List components={components} path="components" group={{ fields, submit: undefined }} />
      </div>
      {problem !== undefined && (
        <div class="desktop-pad">
          <ErrorNotice error={problem} />
        </div>
      )}
    </WindowContext.Provider>
  );
}

function List({ components, path, group }: { components: readonly wire.Component[]; path: string; group: Group }) {
  return (
    <>
      {components.map((component, index) => (
        <ComponentView key={keyOf(component, index)} component={component} path={`${path}[${index}]`} group={group} />
      ))}
    </>
  );
}

/** Named fields keep their identity when they move, so that typing is not interrupted. */
function keyOf(component: wire.Component, index: number): string {
  return "name" in component ? `${component.type} ${component.name}` : String(index);
}

function ComponentView({ component, path, group }: { component: wire.Component; path: string; group: Group }) {
  const place = useContext(WindowContext);
  if (place === undefined) return null;
  switch (component.type) {
    case "text":
      return <p class="desktop-words">{component.text}</p>;
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
      return <ActionButton button={component} path={path} group={group} />;
    case "input":
    case "select":
    case "checkbox":
      return <FieldControl field={component} windowId={place.windowId} submit={group.submit} />;
    case "form":
      return <Form form={component} path={path} place={place} />;
    case "columns":
      return (
        <div class="desktop-columns">
          {component.columns.map((column, index) => (
            <div key={index}>
              <List components={column} path={`${path}.columns[${index}]`} group={group} />
            </div>
          ))}
        </div>
      );
    default:
      throw new Error(texts().unknownComponentType(String((component as { type: unknown }).type)));
  }
}

function Form(props: { form: Extract<wire.Component, { type: "form" }>; path: string; place: WindowActions }) {
  const { form, path, place } = props;
  const fields = fieldsOf(form.components, true);
  const first = firstButton(form.components, `${path}.components`);
  const submit = first && (() => place.isSending(first.path) || place.press(first.button, first.path, fields));
  return (
    <form
      class="desktop-form"
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

/** The button that Enter triggers. */
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

function ActionButton({ button, path, group }: { button: Button; path: string; group: Group }) {
  const place = useContext(WindowContext);
  const isSending = place?.isSending(path) ?? false;
  const isFirst = group.submit !== undefined;
  const kind = button.tone && button.tone !== "plain" ? KINDS[button.tone] : isFirst ? "primary" : "";
  return (
    <div>
      <button
        class={`button ${kind}`}
        type="button"
        // A disabled button would lose the keyboard focus.
        aria-disabled={isSending}
        aria-busy={isSending}
        onClick={() => !isSending && place?.press(button, path, group.fields)}
      >
        {isSending && <Spinner label={texts().working} />}
        {button.label}
      </button>
    </div>
  );
}

function FieldControl(props: { field: Field; windowId: string; submit: (() => void) | undefined }) {
  const { field, windowId, submit } = props;
  const { formInput: typed } = useDesktop();
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
