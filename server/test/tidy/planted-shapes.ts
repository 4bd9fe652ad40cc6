// Planted breaches and innocent look-alikes for the laws of names and sizes.

import type { LawName, Planted } from './laws.ts'
import { dust, limits } from './shape-laws.ts'

const at = 'server/src'

const names: readonly Planted[] = [
  {
    title: 'a barrel, banned words as file, folder and part of a name, a name in capitals',
    files: {
      [`${at}/ledger/index.ts`]: '',
      [`${at}/ledger/ledger-service.ts`]: '',
      [`${at}/platform/utils/round.ts`]: '',
      [`${at}/payouts/types.ts`]: '',
      [`${at}/payouts/initiatePayout.ts`]: '',
      'simulator/src/base-server.ts': '',
    },
    found: [
      `${at}/ledger/index.ts:1`,
      `${at}/ledger/ledger-service.ts:1`,
      `${at}/platform/utils/round.ts:1`,
      `${at}/payouts/types.ts:1`,
      `${at}/payouts/initiatePayout.ts:1`,
      'simulator/src/base-server.ts:1',
    ],
  },
  {
    title: 'innocent: the words inside longer words, a test, a configuration',
    files: {
      [`${at}/platform/database.ts`]: '',
      [`${at}/catalogue/commonwealth.ts`]: '',
      [`${at}/ledger/index-entries.ts`]: '',
      [`${at}/payouts/initiate-payout.test.ts`]: '',
      'server/vitest.config.ts': '',
    },
    found: [],
  },
]

const glossary = [
  '| told | reply |',
  '## Retired words',
  '| retired | say instead |',
  '| insist, wish | require, request |',
  '| say, says | describe |',
].join('\n')

const retiredWords: readonly Planted[] = [
  {
    title: 'a function, a type, a parameter, a variable, a method, a relation, comments',
    files: {
      'docs/GLOSSARY.md': glossary,
      [`${at}/payouts/check.ts`]: [
        'export function insistOpen() {}',
        'type PayoutWish = 1',
        'const a = (wish: string) => wish',
        'const wish = 1',
        'class A { insist() {} }',
        'sql`with order_wish as materialized (select 1)`',
        '// Wish.',
        '/*',
        ' * `wish`, and a wish.',
        ' */',
      ].join('\n'),
    },
    found: [1, 2, 3, 4, 5, 6, 7, 9].map((line) => `${at}/payouts/check.ts:${line}`),
  },
  {
    title: 'innocent: a column, a longer word, a word of another table, a test, code in a comment',
    files: {
      'docs/GLOSSARY.md': glossary,
      [`${at}/payouts/check.ts`]: [
        'type Row = { wish: string }',
        'const wish_id = 1',
        'const consistent = (wishful: string) => wishful',
        'const told = 1 // `wish`, wishful: what it says',
        'sql`select wish, wished as (1)`',
      ].join('\n'),
      [`${at}/payouts/check.test.ts`]: 'const wish = 1',
    },
    found: [],
  },
]

const wholeNames: readonly Planted[] = [
  {
    title: 'a function and a constant that is one, named by a verb alone',
    files: {
      [`${at}/payouts/pay.ts`]: 'async function begin() {}\nexport const write = () => 1',
    },
    found: [`${at}/payouts/pay.ts:1`, `${at}/payouts/pay.ts:2`],
  },
  {
    title: 'innocent: with its noun, inside a function, a method, a value, a test',
    files: {
      [`${at}/payouts/pay.ts`]: [
        'function beginPayout() { const write = () => 1; return write() }',
        'class A { read() {} }',
        'const start = 1',
      ].join('\n'),
      [`${at}/payouts/pay.test.ts`]: 'function start() {}',
    },
    found: [],
  },
]

const linesOf = (count: number) => Array.from({ length: count }, () => '  step()').join('\n')
const longLine = `const text = '${'a'.repeat(limits.line_length)}'`
const longUrl = `// See https://example.org/${'a'.repeat(limits.line_length)}`

const sizes: readonly Planted[] = [
  {
    title: 'a long function, arrow and method, a long file, a long line, five parameters',
    files: {
      [`${at}/money/a.ts`]: `function a() {\n${linesOf(limits.function_lines - 1)}\n}`,
      [`${at}/money/b.ts`]: `\nconst b = () => {\n${linesOf(limits.function_lines - 1)}\n}`,
      [`${at}/money/c.ts`]: `class C {\n  c() {\n${linesOf(limits.function_lines - 1)}\n}\n}`,
      [`${at}/money/d.ts`]: `${linesOf(limits.file_lines + 1)}\n`,
      [`${at}/money/e.ts`]: `\n${longLine}`,
      [`${at}/money/f.ts`]: 'function f(a: A, b: B, c: C, d: D, e: E) {}',
      'tools/g.ts': 'type G = (a: A, b: B, c: C, d: D, e: E) => void',
    },
    found: [
      `${at}/money/a.ts:1`,
      `${at}/money/b.ts:2`,
      `${at}/money/c.ts:2`,
      `${at}/money/d.ts:1`,
      `${at}/money/e.ts:2`,
      `${at}/money/f.ts:1`,
      'tools/g.ts:1',
    ],
  },
  {
    title: 'innocent: each exactly at its limit, a long address, a test, a generated client',
    files: {
      [`${at}/money/a.ts`]: `function a() {\n${linesOf(limits.function_lines - 2)}\n}`,
      [`${at}/money/d.ts`]: `${linesOf(limits.file_lines)}\n`,
      [`${at}/money/e.ts`]: `//${'é'.repeat(limits.line_length - 2)}\n${longUrl}`,
      [`${at}/money/f.ts`]: 'function f(this: T, a: A, b: B, c: C, d: D) {}',
      [`${at}/money/g.test.ts`]: `${linesOf(limits.file_lines + 1)}\n${longLine}`,
      'dashboard/src/api/client.ts': longLine,
    },
    found: [],
  },
]

const filesOf = (count: number, text: string, name: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at_) => [`${at}/money/${name}-${at_}.ts`, text]),
  )
const full = linesOf(dust.lines + 1)
const small = linesOf(dust.lines)

const fullerFiles: readonly Planted[] = [
  {
    title:
      'two small files among nineteen; a file that only passes on, by itself or under a new name',
    files: {
      ...filesOf(15, full, 'full'),
      [`${at}/money/a.ts`]: small,
      'simulator/src/b.ts': small,
      [`${at}/money/record.ts`]: `export {\n${'  a,\n'.repeat(dust.lines)}} from './store.ts'`,
      [`${at}/money/find.ts`]: [
        "import * as b from './b.ts'",
        `export const find = b.find${'\n'.repeat(dust.lines)}`,
      ].join('\n'),
    },
    found: [
      `${at}/money/a.ts:1`,
      'simulator/src/b.ts:1',
      `${at}/money/record.ts:1`,
      `${at}/money/find.ts:1`,
    ],
  },
  {
    title: 'innocent: one small file in ten; small tests and tools; one that also has something',
    files: {
      ...filesOf(8, full, 'full'),
      [`${at}/money/a.ts`]: small,
      [`${at}/money/b.ts`]: `export { a } from './a.ts'\n${full}`,
      [`${at}/money/a.test.ts`]: small,
      'server/test/setup/c.ts': small,
      'tools/d.ts': "export { a } from './e.ts'",
    },
    found: [],
  },
]

const openings: readonly Planted[] = [
  {
    title: 'code, a test and a migration that begin without a word',
    files: {
      [`${at}/money/a.ts`]: "import { b } from './b.ts'\n// Too late.",
      [`${at}/money/a.test.ts`]: "import { it } from 'vitest'",
      'server/migrations/0001_merchants.sql': 'create table merchants ();',
    },
    found: [
      `${at}/money/a.ts:1`,
      `${at}/money/a.test.ts:1`,
      'server/migrations/0001_merchants.sql:1',
    ],
  },
  {
    title: 'innocent: a line comment, a block, one after the interpreter, a seed',
    files: {
      [`${at}/money/a.ts`]: '// Amounts.\n',
      [`${at}/money/b.ts`]: '/* Rates. */\n',
      'tools/generate.ts': '#!/usr/bin/env node\n// Generates.\n',
      'server/migrations/0001_merchants.sql': '-- Who sells.\n',
      'server/seeds/networks.csv': 'country,network',
    },
    found: [],
  },
]

export const plantedShapes = {
  names,
  'retired words': retiredWords,
  'whole names': wholeNames,
  sizes,
  'fuller files': fullerFiles,
  openings,
} satisfies Partial<Record<LawName, readonly Planted[]>>
