/** A key that nobody else makes. `crypto.randomUUID` is missing where the page is not served over TLS or from this machine. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
