/** Launches Chromium, and records everything that goes wrong in a page. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { PROGRAM } from "./server.ts";

/** Where Chromium is: the one without windows first, since it draws nothing but the page. */
const PLACES = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const CHROMIUM = process.env["DWELL_CHROMIUM"] ?? PLACES.find(existsSync) ?? "/usr/bin/chromium";

/** Why browser tests are skipped; undefined if they can run. */
export const skip: string | undefined = !PROGRAM
  ? "DWELL_BIN does not name a built dwell: run ./test, or set it"
  : !existsSync(CHROMIUM)
    ? `there is no browser at ${CHROMIUM}: install chromium, or name one in DWELL_CHROMIUM`
    : undefined;

/** Launches a browser; `flags` are extra command line flags. */
export function launch(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // Containers do not allow namespaces, and the tests open only their own pages.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb", ...flags],
  });
}

/** Records what the page must not do: errors, policy violations, requests to other hosts. */
export class Watch {
  readonly troubles: string[] = [];
  readonly #origin: string;
  #expected: RegExp[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Adds patterns of expected problems. */
  expect(...patterns: RegExp[]): void {
    this.#expected.push(...patterns);
  }

  over(context: BrowserContext): void {
    context.on("page", (page) => this.#overPage(page));
    context.on("request", (request) => {
      const url = request.url();
      const isOurs = url.startsWith(`${this.#origin}/`) || /^(data|blob|about):/.test(url);
      if (!isOurs) this.#note(`request to ${url}`);
    });
  }

  /** The recorded problems that were not expected. */
  get unexpected(): string[] {
    return this.troubles.filter((trouble) => !this.#expected.some((pattern) => pattern.test(trouble)));
  }

  #overPage(page: Page): void {
    page.on("console", (message) => {
      // Policy violations are logged as errors too.
      if (message.type() === "error") this.#note(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.#note(`error: ${error.stack ?? error.message}`));
    page.on("crash", () => this.#note("the page crashed"));
  }

  #note(trouble: string): void {
    this.troubles.push(trouble);
  }
}

/** Browser errors while the server or the network is down. */
export const GONE = [
  /ERR_(CONNECTION_(REFUSED|RESET)|INTERNET_DISCONNECTED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED|NETWORK_CHANGED|SOCKET_NOT_CONNECTED)/,
  /WebSocket connection to .* failed/,
];
