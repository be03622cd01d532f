/** Builds the page, and serves it during development with a proxy to a running server. */
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

// The server during development: `DWELL_URL=http://127.0.0.1:7437 npm run dev --workspace desktop`.
const server = process.env["DWELL_URL"] ?? "http://127.0.0.1:7437";
const passed = ["/api", "/events", "/ws", "/apps", "/v1", "/readyz"];

/** KaTeX names each font in three formats; every browser that the page supports reads the first. */
const onlyWoff2: Plugin = {
  name: "only-woff2",
  enforce: "pre",
  transform(code, id) {
    if (!/katex\.min\.css/.test(id)) return undefined;
    return code.replace(/,url\([^)]+\.(woff|ttf)\) format\("[a-z]+"\)/g, "");
  },
};

export default defineConfig({
  plugins: [onlyWoff2],
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
    rollupOptions: {
      input: ["index.html", "src/worker/service-worker.ts"],
      output: {
        // A service worker governs the paths below its own, and its name must not change.
        entryFileNames: ({ name }) => (name === "service-worker" ? "[name].js" : "assets/[name]-[hash].js"),
      },
    },
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
