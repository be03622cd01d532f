/** A push service on a local port, and the browser's side of its encryption (RFC 8291). */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Accepts every message and keeps it. */
export class PushService {
  /** The messages as they arrived. */
  readonly messages: Buffer[] = [];
  readonly #key = createECDH("prime256v1");
  readonly #auth = randomBytes(16);
  readonly #server: Server;

  private constructor() {
    this.#key.generateKeys();
    this.#server = createServer((request, answer) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        this.messages.push(Buffer.concat(parts));
        answer.writeHead(201).end();
      });
    });
  }

  static async start(): Promise<PushService> {
    const made = new PushService();
    await new Promise<void>((resolve) => made.#server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** A browser's subscription, as its `toJSON` gives it. */
  get subscription(): { endpoint: string; keys: { p256dh: string; auth: string } } {
    const { port } = this.#server.address() as AddressInfo;
    return {
      endpoint: `http://127.0.0.1:${port}/push/one`,
      keys: { p256dh: this.#key.getPublicKey("base64url"), auth: this.#auth.toString("base64url") },
    };
  }

  /** What the browser reads of a message. */
  decrypt(message: Buffer): string {
    const [salt, sender] = [message.subarray(0, 16), message.subarray(21, 86)];
    const derive = (secret: Buffer, with_: Buffer, info: Buffer, length: number) =>
      Buffer.from(hkdfSync("sha256", secret, with_, info, length));
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#key.getPublicKey(), sender]);
    const input = derive(this.#key.computeSecret(sender), this.#auth, info, 32);
    const key = derive(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = derive(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
    const opened = createDecipheriv("aes-128-gcm", key, nonce);
    opened.setAuthTag(message.subarray(-16));
    const text = Buffer.concat([opened.update(message.subarray(86, -16)), opened.final()]);
    // The last byte marks the end of the text.
    return text.subarray(0, -1).toString();
  }
}
