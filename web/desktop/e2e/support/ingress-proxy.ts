/** A proxy as Home Assistant's ingress: the page lies below a path, in a frame of another page. */
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** The path below which the page lies. */
export const INGRESS_PATH = "/api/hassio_ingress/a-token";

/** The proxy in front of a server. */
export class IngressProxy {
  readonly #server: Server;
  /** Status codes by path, of all requests so far. */
  readonly answers = new Map<string, number>();

  private constructor(port: number) {
    const passed = (asked: IncomingMessage) => ({
      path: (asked.url ?? "").slice(INGRESS_PATH.length),
      headers: { ...asked.headers, "x-ingress-path": INGRESS_PATH },
    });
    this.#server = createServer((asked, answer) => {
      const url = asked.url ?? "";
      if (!url.startsWith(`${INGRESS_PATH}/`)) {
        const frame = `<!doctype html><title>Home</title><link rel="icon" href="data:,"><iframe title="Dwell" src="${INGRESS_PATH}/"
          style="position:fixed;inset:0;width:100%;height:100%;border:0"></iframe>`;
        answer.writeHead(url === "/" ? 200 : 404, { "content-type": "text/html" }).end(url === "/" ? frame : "");
        this.answers.set(url, url === "/" ? 200 : 404);
        return;
      }
      const { path, headers } = passed(asked);
      const forwarded = request({ port, host: "127.0.0.1", method: asked.method, path, headers }, (got) => {
        this.answers.set(path, got.statusCode ?? 0);
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      });
      forwarded.on("error", () => answer.destroy());
      asked.pipe(forwarded);
    });
    this.#server.on("upgrade", (asked, socket, head) => {
      const { path, headers } = passed(asked);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
      const forwarded = connect(port, "127.0.0.1", () => {
        forwarded.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
        forwarded.write(head);
        forwarded.pipe(socket).pipe(forwarded);
      });
      forwarded.on("error", () => socket.destroy());
      socket.on("error", () => forwarded.destroy());
    });
  }

  /** Starts a proxy in front of the server at this port. */
  static async start(port: number): Promise<IngressProxy> {
    const proxy = new IngressProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** The page that has Dwell in a frame. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
