/** Debian's Chromium, and an eye on everything that goes wrong in a page. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { PROGRAM } from "./house.ts";

const CHROMIUM = process.env["DWELL_CHROMIUM"] ?? "/usr/bin/chromium";

/** Why there can be no browser tests here; undefined if there can. */
export const skip: string | undefined = !PROGRAM
  ? "DWELL_BIN does not name a built dwell: run ./test, or set it"
  : !existsSync(CHROMIUM)
    ? `there is no browser at ${CHROMIUM}: install chromium, or name one in DWELL_CHROMIUM`
    : undefined;

/** A browser. `flags` are for those who measure. */
export function launch(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    // Inside a container nobody may make namespaces; what is opened here is ours alone.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb", ...flags],
  });
}

/** Writes down what no page of ours may do: errors, violations of the policy, and requests to anybody else. */
export class Watch {
  readonly troubles: string[] = [];
  readonly #origin: string;
  #expected: RegExp[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Says what is no surprise from here on. */
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

  /** What was noted, without what was expected. */
  get unexpected(): string[] {
    return this.troubles.filter((trouble) => !this.#expected.some((pattern) => pattern.test(trouble)));
  }

  #overPage(page: Page): void {
    page.on("console", (message) => {
      // A violation of the policy is an error here too.
      if (message.type() === "error") this.#note(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.#note(`error: ${error.stack ?? error.message}`));
    page.on("crash", () => this.#note("the page crashed"));
  }

  #note(trouble: string): void {
    this.troubles.push(trouble);
  }
}

/** What a browser says of a server that is gone for a while, or of a network that is. */
export const GONE = [
  /ERR_(CONNECTION_(REFUSED|RESET)|INTERNET_DISCONNECTED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED|NETWORK_CHANGED|SOCKET_NOT_CONNECTED)/,
  /WebSocket connection to .* failed/,
];
