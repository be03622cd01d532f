/** Builds the page, and serves it during development with a proxy to a running server. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The server during development: `DWELL_URL=http://127.0.0.1:7437 npm run dev --workspace desktop`.
const server = process.env["DWELL_URL"] ?? "http://127.0.0.1:7437";
const passed = ["/api", "/events", "/ws", "/apps", "/v1", "/readyz"];

export default defineConfig({
  // The page may be served below a path, as by Home Assistant.
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  resolve: { alias: { "@dwell/client": fileURLToPath(new URL("../client/src/index.ts", import.meta.url)) } },
  build: {
    target: "es2022",
    // Inline data URLs would need a weaker policy for fonts and images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    // The server checks that Host and Origin are its own.
    proxy: Object.fromEntries(
      passed.map((path) => [
        path,
        { target: server, changeOrigin: true, ws: path === "/ws", headers: { origin: server } },
      ]),
    ),
  },
});
