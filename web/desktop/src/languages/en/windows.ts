/** English texts: the contents of windows. */

export const windows = {
  choose: "Choose…",
  progress: "Progress",
  sentWindowsAgent: (label: string) => `${label}: sent to the window's agent`,
  theAgentWasNotified: ". The agent was notified. Ask it to show this in another way.",
  theAppHasNo: (app: string) => `The app ${app} has no token`,
  thisWindowCannotBe: "This window cannot be displayed.",
  unknownComponentType: (type: string) => `Unknown component: ${type}`,
  unknownContentType: (type: string) => `Unknown content type: ${type}`,
  working: "Working",
  imageGone: (alt: string) =>
    alt === "" ? "The image is no longer available." : `The image “${alt}” is no longer available.`,
};
