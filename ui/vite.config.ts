import { defineConfig } from "vite";

export default defineConfig({
  // Relative addresses: the dashboard also works behind a proxy that puts it under a path.
  base: "./",
  esbuild: { jsx: "automatic" },
  build: {
    target: "es2021",
    sourcemap: false,
    // The policy of the page allows no inline data: every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        // Libraries rarely change: a browser keeps them when the dashboard changes.
        manualChunks: (id) => (id.includes("node_modules") && !id.endsWith(".css") ? "libraries" : undefined),
      },
    },
  },
  // To develop the dashboard: `npx vite` next to a `pawl dev`.
  server: { proxy: Object.fromEntries(["/v1", "/metrics", "/readyz"].map((path) => [path, "http://127.0.0.1:7717"])) },
});
