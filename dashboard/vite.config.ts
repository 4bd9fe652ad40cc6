// How the dashboard is built: React's interface on Preact's runtime, files named by their content,
// nothing inside the page itself (docs/decisions/0044). `VDOM=react` builds it on React, to prove
// that the runtime can still be changed.

import { resolve } from 'node:path'
import { defineConfig, type Rolldown } from 'vite'

const onPreact = [
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react(-dom)?$/, replacement: 'preact/compat' },
]

/** `"use client"` means something to another bundler, and nothing here. */
const skipDirectives: Rolldown.InputOptions['onLog'] = (level, log, print) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') print(level, log)
}

/** What the first load has in any case is one file: what is loaded later does not split it. */
const frame = {
  name: 'frame',
  test: /src\/(data|format)\/|src\/ui\/(act|facts|form|icons|state|status)\.|src\/parts\/place\./,
} as const

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Below whatever path the service is served: addresses are relative, the server mends the page's.
  base: './',
  define: { __is_development__: command === 'serve' },
  resolve: { alias: process.env['VDOM'] === 'react' ? [] : onPreact },
  build: {
    outDir: resolve(import.meta.dirname, 'built'),
    emptyOutDir: true,
    target: ['chrome109', 'firefox115', 'safari15.4'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licences.md' },
    rolldownOptions: { onLog: skipDirectives, output: { codeSplitting: { groups: [frame] } } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
}))
