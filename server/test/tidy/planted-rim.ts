// Planted breaches and innocent look-alikes for the laws of the rim and of honesty.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is planted is source as text.

import type { LawName, Planted } from './laws.ts'

const at = 'server/src'
const adapters = { [`${at}/gateways/wave/wave.ts`]: '', [`${at}/gateways/simulator/ask.ts`]: '' }

const adapterNames: readonly Planted[] = [
  {
    title: 'an adapter named by a comparison, an identifier, an import, a sentence',
    files: {
      ...adapters,
      [`${at}/payouts/initiate-payout.ts`]: [
        "if (gateway === 'wave') pay()",
        'const isWaveRoute = true',
        "import { pay } from '../gateways/wave/wave.ts'",
        'log(`asked WAVE_CI for ${id}`)',
        "if (gateway === 'simulator') pay()",
      ].join('\n'),
      [`${at}/app/main.ts`]: 'const wave = 1',
    },
    found: [
      ...[2, 1, 3, 4, 5].map((line) => `${at}/payouts/initiate-payout.ts:${line}`),
      `${at}/app/main.ts:1`,
    ],
  },
  {
    title: 'innocent: in gateways/, wire.ts and tests, in longer words, comments, the process',
    files: {
      ...adapters,
      [`${at}/gateways/routing.ts`]: "const first = 'wave'",
      [`${at}/app/wire.ts`]: "import { wave } from '../gateways/wave/wave.ts'",
      [`${at}/app/main.ts`]: "log('simulator listens')",
      [`${at}/sandbox/reset.ts`]: "const gateway = 'simulator'",
      [`${at}/payouts/initiate-payout.test.ts`]: "const gateway = 'wave'",
      [`${at}/payouts/initiate-payout.ts`]: "// wave\nconst microwave = 'waves'",
      [`${at}/app/config.ts`]: "const known = ['SIMULATOR_PORT']",
    },
    found: [],
  },
]

const adapterSight: readonly Planted[] = [
  {
    title: 'an adapter sees routing, another adapter and the ledger',
    files: {
      [`${at}/gateways/wave/wave.ts`]: [
        "import { route } from '../routing.ts'",
        "import { ask } from '../simulator/ask.ts'",
        "import type { Entry } from '../../ledger/entry.ts'",
      ].join('\n'),
    },
    found: [1, 2, 3].map((line) => `${at}/gateways/wave/wave.ts:${line}`),
  },
  {
    title: 'innocent: the port, its own files, money, platform, catalogue; routing sees adapters',
    files: {
      [`${at}/gateways/wave/wave.ts`]: [
        "import type { Gateway } from '../gateway.ts'",
        "import { codec } from './amount-codec.ts'",
        "import { parseMoney } from '../../money/money.ts'",
        "import { ask } from '../../platform/http-client.ts'",
        "import type { Network } from '../../catalogue/network.ts'",
      ].join('\n'),
      [`${at}/gateways/routing.ts`]: "import { wave } from './wave/wave.ts'",
    },
    found: [],
  },
]

const fastifyAtTheRim: readonly Planted[] = [
  {
    title: 'fastify, its types and its plugins in a feature and in the rest of platform',
    files: {
      [`${at}/payouts/routes.ts`]: "import type { FastifyRequest } from 'fastify'",
      [`${at}/platform/log.ts`]: "import swagger from '@fastify/swagger'",
    },
    found: [`${at}/payouts/routes.ts:1`, `${at}/platform/log.ts:1`],
  },
  {
    title: 'innocent: platform/http, app, and a package that only begins like it',
    files: {
      [`${at}/platform/http/server.ts`]: "import fastify from 'fastify'",
      [`${at}/app/api.ts`]: "import ui from '@fastify/swagger-ui'",
      [`${at}/payouts/routes.ts`]:
        "import x from 'fastifying'\nimport { post } from './fastify.ts'",
    },
    found: [],
  },
]

const environment: readonly Planted[] = [
  {
    title: 'the environment read by each of its names',
    files: {
      [`${at}/platform/log.ts`]: [
        'const a = process.env.LOG_LEVEL',
        "const b = process['env']",
        'const { env } = process',
        "import { env as all } from 'node:process'",
        'const c = globalThis.process.env',
      ].join('\n'),
    },
    found: [1, 2, 3, 4, 5].map((line) => `${at}/platform/log.ts:${line}`),
  },
  {
    title: 'innocent: the configuration, app, a test, another env, a word',
    files: {
      [`${at}/app/config.ts`]: 'const a = process.env',
      [`${at}/app/main.ts`]: 'const a = process.env',
      [`${at}/platform/log.test.ts`]: 'const a = process.env',
      [`${at}/platform/log.ts`]: [
        'const a = config.env',
        "const b = 'process.env'",
        'const c = process.pid',
        'const { env } = config',
      ].join('\n'),
    },
    found: [],
  },
]

const declaredTypes: readonly Planted[] = [
  {
    title: 'any, a bang, a late bang, a cast, a cast in brackets; any in a test',
    files: {
      [`${at}/ledger/post.ts`]: [
        'let a: any',
        'const b = rows[0]!',
        'let c!: string',
        'const d = row as Row',
        'const e = <Row>row',
        'const f = row as unknown as Row',
      ].join('\n'),
      [`${at}/platform/sql.ts`]: 'const a: any[] = []',
      [`${at}/ledger/post.test.ts`]: 'const b = rows[0]!.id',
      'simulator/src/books.ts': 'const a = body as Body',
    },
    found: [
      ...[1, 2, 3, 4, 5, 6, 6].map((line) => `${at}/ledger/post.ts:${line}`),
      `${at}/platform/sql.ts:1`,
      `${at}/ledger/post.test.ts:1`,
      'simulator/src/books.ts:1',
    ],
  },
  {
    title: 'innocent: as const, satisfies, a rename, a negation, casts in platform and in tests',
    files: {
      [`${at}/ledger/post.ts`]: [
        "import { a as b } from './a.ts'",
        "const c = ['x'] as const",
        'const d = { e: 1 } satisfies Row',
        'const e = !b && b !== c',
        "const any = 'row as Row'",
      ].join('\n'),
      [`${at}/platform/sql.ts`]: 'const a = row as Row',
      [`${at}/ledger/post.test.ts`]: 'const a = reply as Reply',
    },
    found: [],
  },
]

const comments: readonly Planted[] = [
  {
    title: 'the compiler silenced, work put off',
    files: {
      [`${at}/ledger/post.ts`]: [
        '// @ts-ignore',
        'const a = 1 // TODO later',
        '/* a HACK */',
        '// @ts-expect-error',
        'const b = `${/* FIXME */ a}`',
      ].join('\n'),
      [`${at}/ledger/post.test.ts`]: '// @ts-nocheck',
    },
    found: [
      ...[1, 2, 3, 4, 5].map((line) => `${at}/ledger/post.ts:${line}`),
      `${at}/ledger/post.test.ts:1`,
    ],
  },
  {
    title: 'innocent: in a string, inside a word, a test that expects a type error',
    files: {
      [`${at}/ledger/post.ts`]: "const a = '// TODO'\nconst HACK = 1 // METHODOLOGY",
      [`${at}/ledger/post.test.ts`]: '// @ts-expect-error: a Db is no Tx.',
    },
    found: [],
  },
]

const testsRun: readonly Planted[] = [
  {
    title: 'tests set aside in each way',
    files: {
      [`${at}/ledger/post.test.ts`]: [
        "it.only('a', f)",
        "describe.skip('b', f)",
        "test.todo('c')",
        "it.each([1]).skip('d', f)",
        "it.skipIf(slow)('e', f)",
        "xit('f', f)",
        "it('g', { timeout: 1, skip: true }, f)",
      ].join('\n'),
    },
    found: [1, 2, 3, 4, 5, 6, 7].map((line) => `${at}/ledger/post.test.ts:${line}`),
  },
  {
    title: 'a test set aside by a helper, or by one who chooses the size for others',
    files: {
      'server/test/setup/slow.ts': 'export const slow = isWhole ? it : it.skip',
      'server/test/setup/size.ts': "import { sized } from './proof-size.ts'",
      [`${at}/ledger/post.test.ts`]: "const runs = process.env['PROOF'] === 'whole' ? 9 : 1",
    },
    found: [
      'server/test/setup/slow.ts:1',
      'server/test/setup/size.ts:1',
      `${at}/ledger/post.test.ts:1`,
    ],
  },
  {
    title: 'innocent: what runs whole by a run of its own',
    files: {
      'server/test/setup/proof-size.ts': 'export const wholeIt = isWhole ? it : it.skip',
      'server/test/stories/a.test.ts': [
        "import { wholeIt } from '../setup/proof-size.ts'",
        "wholeIt('a', f)",
        "wholeIt('b', { timeout: 1 }, f)",
      ].join('\n'),
    },
    found: [],
  },
  {
    title: 'innocent: other things that skip',
    files: {
      [`${at}/ledger/post.test.ts`]: "rows.skip(1)\nconst only = list.only\nit('skips .skip()', f)",
    },
    found: [],
  },
]

const columnsListed: readonly Planted[] = [
  {
    title: 'a star for all columns, of a table, of what a write returns',
    files: {
      [`${at}/ledger/store.ts`]: [
        'tx`select * from balances`',
        'tx`\n  select b.id\n    from (select b.* from balances b) b`',
        'tx`update balances set a = 1 returning *`',
      ].join('\n'),
    },
    found: [1, 4, 5].map((line) => `${at}/ledger/store.ts:${line}`),
  },
  {
    title: 'innocent: a count, a product, a comment, a test',
    files: {
      [`${at}/ledger/store.ts`]:
        'tx`\n  -- select * leaks\n  select count(*), 2 * a from balances`',
      [`${at}/ledger/post.test.ts`]: 'tx`select * from balances`',
    },
    found: [],
  },
]

const mechanismsAlone: readonly Planted[] = [
  {
    title: 'a right, a setting, a type, a folder imported by name',
    files: {
      [`${at}/platform/http/route.ts`]: [
        "const rights = ['read', 'payouts']",
        "const name = 'RETENTION_UNPAID_CHECKOUT_DAYS'",
        'type TransferTerms = 1',
        'const fee_charge_mode = 1',
        "const of = { gateway: 'WEBHOOK_ALLOW_PRIVATE' }",
      ].join('\n'),
    },
    found: [3, 4, 5, 1, 2, 5].map((line) => `${at}/platform/http/route.ts:${line}`),
  },
  {
    title: 'innocent: a sentence, a longer word, a comment, a listed name, a test, its folder',
    files: {
      [`${at}/platform/http/route.ts`]: [
        "const title = 'Collect a payment' // a payment",
        'const feedback = 1',
        'const merchant_id = inTransaction',
      ].join('\n'),
      [`${at}/platform/http/route.test.ts`]: "const right = 'payouts'",
      [`${at}/payouts/payout.ts`]: 'const payout = 1',
    },
    found: [],
  },
]

// Put together here, so that this file does not break the law it plants.
const machine = ['', 'work', 'main'].join('/')
const host = ['https:/', 'registry.example.org', 'fastify'].join('/')

const noMachines: readonly Planted[] = [
  {
    title: "a machine's path, a registry's host, a registry's setting",
    files: {
      'docs/runbooks/start.md': `Start:\n\ncd ${machine}`,
      'package-lock.json': `{\n  "resolved": "${host}"\n}`,
      '.npmrc': 'registry=http://localhost',
      [`${at}/app/config.ts`]: `const at = '${machine}'`,
    },
    found: ['docs/runbooks/start.md:3', 'package-lock.json:2', '.npmrc:1', `${at}/app/config.ts:1`],
  },
  {
    title: 'innocent: a relative path, an address, a package page, the other settings',
    files: {
      'README.md': `See docs${machine}, https://example.org${machine} and https://www.npmjs.com/x.`,
      '.npmrc': 'omit-lockfile-registry-resolved=true',
    },
    found: [],
  },
]

export const plantedRim = {
  'adapter names': adapterNames,
  'adapter sight': adapterSight,
  'fastify at the rim': fastifyAtTheRim,
  environment,
  'mechanisms alone': mechanismsAlone,
  'types told': declaredTypes,
  comments,
  'tests run': testsRun,
  'columns listed': columnsListed,
  'no machines': noMachines,
} satisfies Partial<Record<LawName, readonly Planted[]>>
