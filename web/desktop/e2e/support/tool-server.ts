/** The server behind the HTTP tools: counts calls, and can withhold its answers. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A received call. */
export type ReceivedCall = { tool: string; arguments: unknown };

/**
 * The tool server. `book_table` needs approval, `send_letter` does not; both are `at_most_once`.
 */
export class ToolServer {
  readonly confirmed = ["book_table"];
  readonly calls: ReceivedCall[] = [];
  /** Whether answers are withheld: the call has its effect, but no answer is sent. */
  isSilent = false;
  readonly #held = new Set<ServerResponse>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ToolServer> {
    const server = createServer();
    const toolServer = new ToolServer(server);
    server.on("request", async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const tool = (request.url ?? "").slice(1);
      toolServer.calls.push({ tool, arguments: JSON.parse(body) as unknown });
      response.setHeader("content-type", "application/json");
      if (toolServer.isSilent) toolServer.#held.add(response);
      else response.end(JSON.stringify({ done: true }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return toolServer;
  }

  /** The number of calls of a tool. */
  count(tool: string): number {
    return this.calls.filter((deed) => deed.tool === tool).length;
  }

  /** The content of the file that `tools.file` names. */
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
