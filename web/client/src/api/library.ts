/** The library: documents in folders of the server's machine. */
import { path } from "../rest.js";
import type { AddFolder, FolderView, LibraryHits, LibraryView } from "../wire.js";
import type { Port } from "./port.js";

/** `client.library`. Adding and removing folders is for the operator only. */
export class Library {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** The folders that the owner can see, and how far they are indexed. */
  get(): Promise<LibraryView> {
    return this.#port.rest.json("GET", "/api/v1/library");
  }

  /** Passages of the documents, best first. */
  search(query: string, options: { limit?: number } = {}): Promise<LibraryHits> {
    return this.#port.rest.json("GET", "/api/v1/library/search", { query: { query, ...options } });
  }

  /** Adds a folder; resolves when it is indexed. */
  addFolder(folder: string | AddFolder): Promise<FolderView> {
    const body = typeof folder === "string" ? { path: folder } : folder;
    return this.#port.rest.json("POST", "/api/v1/library/folders", { body });
  }

  /** Removes a folder from the library; its files stay. */
  removeFolder(folderId: string): Promise<FolderView> {
    return this.#port.rest.json("DELETE", path`/api/v1/library/folders/${folderId}`);
  }

  /** Scans all folders now; resolves when that is done. */
  rescan(): Promise<LibraryView> {
    return this.#port.rest.json("POST", "/api/v1/library/rescan");
  }
}
