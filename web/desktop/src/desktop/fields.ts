/** Form fields of a layout, and the user's input into them. Pure. */
import type { wire } from "@dwell/client";

/** A form field. */
export type Field = Extract<wire.Component, { type: "input" | "select" | "checkbox" }>;

/** The initial value of a field. */
export function initialValue(field: Field): string {
  if (field.type === "checkbox") return String(field.checked ?? false);
  if (field.type === "select") return field.value ?? "";
  return field.value ?? "";
}

/**
 * User input by window and field name. It survives new window content, unless the agent changed the
 * value of that very field.
 */
export class FormInput {
  readonly #byWindow = new Map<string, Map<string, { value: string; own: string }>>();

  /** The displayed value of a field. */
  value(windowId: string, field: Field): string {
    const typed = this.#byWindow.get(windowId)?.get(field.name);
    const own = initialValue(field);
    if (typed === undefined || typed.own !== own) return own;
    const isGone = field.type === "select" && !field.options.some((option) => option.value === typed.value);
    return isGone ? own : typed.value;
  }

  type(windowId: string, field: Field, value: string): void {
    const fields = this.#byWindow.get(windowId) ?? new Map<string, { value: string; own: string }>();
    this.#byWindow.set(windowId, fields.set(field.name, { value, own: initialValue(field) }));
  }

  /** Discards the input of windows that were closed. */
  keepOnly(windows: ReadonlySet<string>): void {
    for (const id of this.#byWindow.keys()) if (!windows.has(id)) this.#byWindow.delete(id);
  }
}

/** The fields in these components; those inside forms only if `isWithForms`. */
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

/** The values sent with a button: those of its form, or of the fields outside all forms. */
export function formData(fields: readonly Field[], valueOf: (field: Field) => string): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
}
