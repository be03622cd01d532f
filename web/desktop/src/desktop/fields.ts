/** What is filled in: fields of a layout by name, and what was typed into them. Pure. */
import type { wire } from "@dwell/client";

/** Something that can be filled in. */
export type Field = Extract<wire.Component, { type: "input" | "select" | "checkbox" }>;

/** What a field holds as long as nobody has touched it. */
export function ownValue(field: Field): string {
  if (field.type === "checkbox") return String(field.checked ?? false);
  if (field.type === "select") return field.value ?? "";
  return field.value ?? "";
}

/**
 * What was typed, by window and name. It stays when the window's content is written anew, unless the agent has put something
 * else into that very field.
 */
export class Typed {
  readonly #byWindow = new Map<string, Map<string, { value: string; own: string }>>();

  /** What a field shows. */
  value(windowId: string, field: Field): string {
    const typed = this.#byWindow.get(windowId)?.get(field.name);
    const own = ownValue(field);
    if (typed === undefined || typed.own !== own) return own;
    const isGone = field.type === "select" && !field.options.some((option) => option.value === typed.value);
    return isGone ? own : typed.value;
  }

  type(windowId: string, field: Field, value: string): void {
    const fields = this.#byWindow.get(windowId) ?? new Map<string, { value: string; own: string }>();
    this.#byWindow.set(windowId, fields.set(field.name, { value, own: ownValue(field) }));
  }

  /** Forgets what was typed into windows that are gone. */
  keepOnly(windows: ReadonlySet<string>): void {
    for (const id of this.#byWindow.keys()) if (!windows.has(id)) this.#byWindow.delete(id);
  }
}

/** Fields that stand in these components: of forms in them only if `isWithForms`. */
export function fieldsOf(components: readonly wire.Component[], isWithForms: boolean): Field[] {
  return components.flatMap((component): Field[] => {
    switch (component.type) {
      case "input":
      case "select":
      case "checkbox":
        return [component];
      case "form":
        return isWithForms ? fieldsOf(component.components, true) : [];
      case "columns":
        return component.columns.flatMap((column) => fieldsOf(column, isWithForms));
      default:
        return [];
    }
  });
}

/** What goes with a button: the values of its form, or of what stands outside of every form. */
export function formData(fields: readonly Field[], valueOf: (field: Field) => string): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
}
