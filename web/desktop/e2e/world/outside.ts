/** What tools act on: a server on this machine that counts what was done, and can keep a caller waiting. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A call that arrived. */
export type Deed = { tool: string; arguments: unknown };

/** The world outside. `book_table` needs an approval each time, `send_letter` none; either happens at most once. */
export class Outside {
  readonly confirmed = ["book_table"];
  readonly deeds: Deed[] = [];
  /** Whether answers are held back: the deed is done, and nobody is told. */
  isSilent = false;
  readonly #held = new Set<ServerResponse>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Outside> {
    const server = createServer();
    const outside = new Outside(server);
    server.on("request", async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const tool = (request.url ?? "").slice(1);
      outside.deeds.push({ tool, arguments: JSON.parse(body) as unknown });
      response.setHeader("content-type", "application/json");
      if (outside.isSilent) outside.#held.add(response);
      else response.end(JSON.stringify({ done: true }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return outside;
  }

  /** How often a tool was called. */
  count(tool: string): number {
    return this.deeds.filter((deed) => deed.tool === tool).length;
  }

  /** The file that `tools.file` names. */
  get declaration(): string {
    const { port } = this.#server.address() as AddressInfo;
    const tool = (name: string, description: string, schema: string) => `
[[tool]]
name = "${name}"
description = "${description}"
url = "http://127.0.0.1:${port}/${name}"
effect = "at_most_once"
safety = "acts"
origin = "trusted"
input_schema = ${schema}
`;
    const table = `{ type = "object", required = ["restaurant", "people"], properties = { restaurant = { type = "string" }, people = { type = "integer" }, at = { type = "string" } } }`;
    const letter = `{ type = "object", required = ["to"], properties = { to = { type = "string" }, words = { type = "string" } } }`;
    return tool("book_table", "Books a table at a restaurant.", table) + tool("send_letter", "Sends a letter.", letter);
  }

  stop(): void {
    for (const response of this.#held) response.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
