/**
 * Runs HTML in a frame without an origin: it reaches neither the page nor the server nor the
 * network, since the policy of this file stays in force for what is written into it.
 */
addEventListener("message", function take({ data, source }: MessageEvent<unknown>) {
  const { dwell, type, html } = (data ?? {}) as { dwell?: unknown; type?: unknown; html?: unknown };
  if (source !== parent || dwell !== 1 || type !== "run" || typeof html !== "string") return;
  removeEventListener("message", take);
  document.open();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- only it runs the scripts of a whole page.
  document.write(html);
  document.close();
});
parent.postMessage({ dwell: 1, type: "ready" }, "*");
