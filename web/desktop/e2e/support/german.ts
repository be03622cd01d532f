/** User actions in the German page, by visible names. */
import type { Page } from "playwright-core";

/** Goes to a view by the rail, or by its menu. */
export async function goTo(page: Page, view: string): Promise<void> {
  const rail = page.getByRole("navigation", { name: "Ansichten" });
  if (view === "Agenten" || view === "Journal") await rail.getByRole("button", { name: "Werkstatt" }).click();
  await rail.getByRole("link", { name: new RegExp(view) }).click();
}
