// How the dashboard is built: React's interface on Preact's runtime, files named by their content,
// nothing inside the page itself (docs/decisions/0044). `VDOM=react` builds it on React, to prove
// that the runtime can still be changed.

import { resolve } from 'node:path'
import { defineConfig, type HtmlTagDescriptor, type Plugin, type Rolldown } from 'vite'
import { policy } from '../server/src/platform/http/built-policy.ts'

const onPreact = [
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
  // Of development: with React's own, Preact would draw nothing.
  { find: /^react\/jsx-dev-runtime$/, replacement: 'preact/jsx-dev-runtime' },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react(-dom)?$/, replacement: 'preact/compat' },
  // The router brings it for a React before 18; Preact's own is loaded anyhow.
  { find: /^use-sync-external-store\/shim\/index\.js$/, replacement: 'preact/compat' },
]

/** `"use client"` means something to another bundler, and nothing here. */
const skipDirectives: Rolldown.InputOptions['onLog'] = (level, log, print) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') print(level, log)
}

/** Files of `src/`, by the begin of their paths. */
const below = (...begins: readonly string[]) => new RegExp(`/src/(${begins.join('|')})\\b`)

/**
 * What the start has in any case is one file, what the dashboard has in any case another: what is
 * loaded later does not split them into parts that each compress less well.
 */
const groups = [
  {
    name: 'start',
    priority: 2,
    // With the router, which is no file of ours.
    test: new RegExp(
      `/node_modules/wouter/|${
        below(
          ...['data/call', 'data/clock', 'data/connection', 'data/kept', 'data/presence'],
          ...['data/load', 'data/session', 'data/theme'],
          ...['ui/act', 'ui/form', 'ui/link', 'ui/state'],
          ...[
            'format/country',
            'format/name',
            'app/screen',
            'parts/part',
            'parts/sign-in',
            'parts/language-switch',
          ],
        ).source
      }`,
    ),
  },
  {
    name: 'frame',
    priority: 1,
    test: below(
      ...['data/choices', 'data/queries', 'data/follow', 'data/rights', 'data/once', 'format'],
      ...['ui/icons', 'ui/status', 'parts/place', 'parts/scroll', 'parts/shell', 'parts/theme'],
      ...['parts/rows', 'parts/which-key'],
      // What Home has in common with other screens: each a file of some 200 bytes otherwise, which
      // on a slow network takes its turn as a large one does.
      ...['parts/advice', 'parts/begin', 'parts/networks', 'parts/points', 'parts/rates'],
      ...['parts/tips', 'parts/transaction-cards', 'parts/why-failed'],
    ),
  },
]

type Chunks = Readonly<Record<string, Rolldown.OutputAsset | Rolldown.OutputChunk>>

/** A chunk's file and those of all that it imports at once. */
function withImports(chunks: Chunks, name: string, seen = new Set<string>()): Set<string> {
  const chunk = chunks[name]
  if (chunk?.type !== 'chunk' || seen.has(name)) return seen
  seen.add(name)
  for (const next of chunk.imports) withImports(chunks, next, seen)
  return seen
}

const stylesOf = (chunk: Chunks[string] | undefined): string[] =>
  chunk?.type === 'chunk' ? [...(chunk.viteMetadata?.importedCss ?? [])] : []

type For = Readonly<Record<string, string>>

/** What a reader may load at once, by the module that asks for it, and whose page names it. */
const ahead: ReadonlyArray<readonly [module: string, whose: For]> = [
  ['words/fr.ts', { 'data-language': 'fr' }],
  ['words/en.ts', { 'data-language': 'en' }],
  ['app/dashboard.tsx', { 'data-for': 'member' }],
  ['words/fr-frame.ts', { 'data-for': 'member', 'data-language': 'fr' }],
  ['words/en-frame.ts', { 'data-for': 'member', 'data-language': 'en' }],
  ['features/home/home.tsx', { 'data-for': 'member', 'data-at': 'home' }],
]

/**
 * Names in the page what its reader will load, so that it comes beside the start and not after it.
 * The server leaves out the lines that are of another reader or another page (`serve-built.ts`).
 */
const nameAhead: Plugin = {
  name: 'name-ahead',
  transformIndexHtml: {
    order: 'post',
    handler: (_page, { bundle, chunk }): HtmlTagDescriptor[] => {
      if (bundle === undefined || chunk === undefined) return []
      const named = withImports(bundle, chunk.fileName)
      return ahead.flatMap(([module, whose]) => {
        const of = Object.values(bundle).find(
          (one) => one.type === 'chunk' && one.facadeModuleId?.endsWith(`/src/${module}`),
        )
        const scripts = [...withImports(bundle, of?.fileName ?? '')].filter(
          (name) => !named.has(name),
        )
        for (const name of scripts) named.add(name)
        const line = (rel: string) => (name: string) => ({
          tag: 'link',
          attrs: { rel, crossorigin: true, href: `./${name}`, ...whose },
          injectTo: 'head' as const,
        })
        const styles = scripts.flatMap((name) => stylesOf(bundle[name]))
        return [...scripts.map(line('modulepreload')), ...styles.map(line('stylesheet'))]
      })
    },
  },
}

/**
 * In French these signs stay on the line of the word before them. Done when the words are built: a
 * reader's telephone is spared the code.
 */
const typesetFrench: Plugin = {
  name: 'typeset-french',
  enforce: 'pre',
  transform: (code, id) =>
    below('words/fr').test(id)
      ? code.replace(/'[^'\n]*'/g, (text) => text.replace(/(«) | ([:;?!%»])/g, '$1\xa0$2'))
      : null,
}

/** The gallery of the parts, at each of its addresses. A build begins at `index.html` alone. */
const gallery: Plugin = {
  name: 'gallery',
  apply: 'serve',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _answer, next) => {
      if (/^\/dashboard\/kit\b/.test(request.url ?? '')) request.url = '/kit/kit.html'
      next()
    })
  },
}

/** Where the service answers beside which the dashboard is written. */
const service_url = process.env['SERVICE_URL'] ?? 'http://127.0.0.1:8080'

/** Development puts styles into the page: each is marked with it, and no other one counts. */
const style_nonce = 'development'

const policyOfDevelopment = policy.replace(
  "style-src 'self'",
  `style-src 'self' 'nonce-${style_nonce}'`,
)

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // Below whatever path the service is served: addresses are relative, the server mends the page's.
  base: './',
  plugins: [nameAhead, typesetFrench, gallery],
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
    rolldownOptions: { onLog: skipDirectives, output: { codeSplitting: { groups } } },
  },
  ...(command === 'serve' && { html: { cspNonce: style_nonce } }),
  server: {
    headers: { 'Content-Security-Policy': policyOfDevelopment },
    // The host stays the page's own: the service sets a cookie for its own pages alone, and knows
    // them by that.
    proxy: { '/api': { target: service_url } },
  },
}))
