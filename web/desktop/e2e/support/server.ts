/**
 * The real server with its own data folder, which can be killed and restarted at the same address.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ScriptedModel } from "./model.ts";
import { Rest } from "./rest.ts";
import type { ToolServer } from "./tool-server.ts";

/** The path of the built program. */
export const PROGRAM = process.env["DWELL_BIN"];

/** Options for starting a server. */
export type ServerOptions = {
  /** The model; the offline model if there is none. */
  model?: ScriptedModel | undefined;
  /** The server behind its tools. */
  toolServer?: ToolServer | undefined;
  environment?: Record<string, string>;
  /** The configuration file. */
  config?: string;
};

/** A running Dwell server. */
export class TestServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "dwell-page-"));
  readonly #environment: Record<string, string>;
  #process: ChildProcess | undefined;
  port = 0;

  constructor({ model, toolServer, environment, config }: ServerOptions = {}) {
    const tools = join(this.#folder, "tools.toml");
    writeFileSync(tools, toolServer?.declaration ?? "");
    const settings = join(this.#folder, "dwell.toml");
    if (config !== undefined) writeFileSync(settings, config);
    this.#environment = {
      HOME: this.#folder,
      ...(config !== undefined && { DWELL_CONFIG: settings }),
      DWELL_SERVER_OPEN: "never",
      // Facts extracted in the background would take the replies that tests queue for answers.
      ...(model && {
        OPENAI_API_KEY: "sk-test",
        OPENAI_BASE_URL: model.url,
        DWELL_MODEL: "openai/test",
        DWELL_MEMORY_MODEL: "off",
      }),
      ...(toolServer && {
        DWELL_TOOLS_FILE: tools,
        DWELL_TOOLS_ACTUATION: "true",
        DWELL_TOOLS_CONFIRM: toolServer.confirmed.join(","),
      }),
      ...environment,
    };
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get token(): string {
    return readFileSync(join(this.#folder, "data", "token"), "utf8").trim();
  }

  get rest(): Rest {
    return new Rest(this.url, this.token);
  }

  /** The output of the server, including the link for the first visit. */
  get printed(): string {
    return readFileSync(join(this.#folder, "printed"), "utf8");
  }

  get log(): string {
    return readFileSync(join(this.#folder, "log"), "utf8");
  }

  async start(): Promise<this> {
    // Port 0 would change the address with each restart.
    this.port ||= await freePort();
    const printed = openSync(join(this.#folder, "printed"), "w");
    const log = openSync(join(this.#folder, "log"), "a");
    const data = ["--data", join(this.#folder, "data"), "--listen", `127.0.0.1:${this.port}`];
    const child = spawn(String(PROGRAM), ["serve", ...data], {
      env: this.#environment,
      stdio: ["ignore", printed, log],
    });
    this.#process = child;
    const deadline = Date.now() + 30_000;
    while (!this.printed.includes("listening on")) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the server does not start: ${this.log}`);
      await pause(10);
    }
    return this;
  }

  /** Kills the process, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** A link that signs in a browser, once. */
  async invitation(): Promise<string> {
    const { invitation } = await this.rest.post<{ invitation: string }>("/api/v1/invitations", {});
    return `${this.url}/#invitation=${invitation}`;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
