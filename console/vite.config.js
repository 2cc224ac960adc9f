import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Puts all modules that an entry loads in one file: one compresses better than forty. Screens that are loaded later share its
 * modules as before.
 */
const inOneFile = (name, entry) => {
  let loaded;
  return (id, modules) => {
    loaded ??= findImported(path(entry), modules);
    return loaded.has(id) ? name : null;
  };
};

/** Returns a module and all that it imports, but not what it loads later. */
const findImported = (entry, modules) => {
  const found = new Set([entry]);
  for (const id of found) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
};

/**
 * Builds the console to dist/console, which every process with the role `api` serves at /console. For work on the console,
 * `npx vite console` serves it with hot reload beside a running gateway, whose address is GATEWAY (default: http://127.0.0.1:3000).
 */
export default defineConfig(({ command }) => ({
  root: path('.'),
  base: '/console/',
  cacheDir: path('../node_modules/.cache/vite'),
  // The gateway replaces the placeholder with a nonce of the answer.
  html: command === 'build' ? { cspNonce: '__CSP_NONCE__' } : {},
  // Preact answers for React, with a tenth of its size (ADR-416).
  resolve: {
    alias: [
      { find: /^react-dom\/client$/, replacement: path('../node_modules/preact/compat/client.mjs') },
      { find: /^react(-dom)?$/, replacement: path('../node_modules/preact/compat/dist/compat.mjs') },
      { find: /^react\/jsx-runtime$/, replacement: path('../node_modules/preact/compat/jsx-runtime.mjs') },
    ],
  },
  build: {
    outDir: path('../dist/console'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // The policy of the page allows no data: addresses for scripts and styles.
    assetsInlineLimit: 0,
    // One file of 18 KB. With thirty small ones, each screen waits several times for one of the browser's six connections.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What runs while the first view is still loading.
            { name: inOneFile('start', 'src/start.ts'), debugName: 'start', priority: 3 },
            { name: inOneFile('first-view', 'src/main.tsx'), debugName: 'first view', priority: 2 },
            // Over HTTP/1.1, a browser loads six files at a time, so many small files take long on a slow line.
            { name: 'shared', minShareCount: 6, priority: 1 },
          ],
        },
      },
      onwarn: (warning, warn) => {
        // "use client" concerns servers that render React; this page has none.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: { '/manage': { target: process.env.GATEWAY ?? 'http://127.0.0.1:3000' } },
  },
}));
