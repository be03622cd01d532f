/**
 * Addresses of the server. The page may be served below a path, as by Home Assistant, so no address
 * may begin at the root of the host.
 */

// Unit tests have no document.
const base = typeof document === "undefined" ? "/" : new URL(".", document.baseURI).pathname;

/** The address of a path of the server, such as `/api/v1/stats`. */
export function addressOf(path: string): string {
  return base + path.replace(/^\//, "");
}

/** The URL of the server, which is also that of the page. */
export function serverUrl(): string {
  return location.origin + base;
}
