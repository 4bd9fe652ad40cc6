// Planted breaches and innocent look-alikes for the laws of imports.

import type { LawName, Planted } from './laws.ts'

const at = 'server/src'

const importLaw: readonly Planted[] = [
  {
    title: 'a folder takes from a neighbour that only others may import',
    files: {
      [`${at}/payouts/pay.ts`]: "import { plan } from '../payments/plan.ts'",
      [`${at}/checkout/pay.ts`]: "import { plan } from '../payments/plan.ts'",
      [`${at}/payments/plan.ts`]: '',
    },
    found: [`${at}/payouts/pay.ts:1`],
  },
  {
    title: 'settlements take the engine of attempts from transactions, if only a type',
    files: {
      [`${at}/settlements/send.ts`]: [
        "import { queryAttempt } from '../attempts/query-attempt.ts'",
        "import { moveStatus } from '../transactions/statements.ts'",
        "import type { Move } from '../transactions/statements.ts'",
      ].join('\n'),
      [`${at}/payouts/send.ts`]: "import { moveStatus } from '../transactions/statements.ts'",
    },
    found: [2, 3].map((line) => `${at}/settlements/send.ts:${line}`),
  },
  {
    title: 'the engine knows what it works for by name',
    files: {
      [`${at}/attempts/query-attempt.ts`]: [
        "import type { Purpose } from './purpose.ts'",
        "import { transactionPurpose } from '../transactions/transaction-purpose.ts'",
        "import { settlementPurpose } from '../settlements/settlement-purpose.ts'",
      ].join('\n'),
    },
    found: [2, 3].map((line) => `${at}/attempts/query-attempt.ts:${line}`),
  },
  {
    title: 'a lower folder imports a higher rank, by value, by type, by re-export and lazily',
    files: {
      [`${at}/ledger/post.ts`]: [
        "import { initiate } from '../payouts/initiate-payout.ts'",
        "import type { Payout } from '../payouts/payout.ts'",
        "export { done } from '../attempts/attempt.ts'",
        "const late = () => import('../webhooks/deliver.ts')",
        "type Row = import('../transactions/transaction.ts').Row",
        "import { show } from '@pirogue/server/src/wallets/show.ts'",
      ].join('\n'),
    },
    found: [1, 2, 3, 4, 5, 6].map((line) => `${at}/ledger/post.ts:${line}`),
  },
  {
    title: 'a feature imports app/, if only a type',
    files: { [`${at}/webhooks/deliver.ts`]: "import type { Wire } from '../app/wire.ts'" },
    found: [`${at}/webhooks/deliver.ts:1`],
  },
  {
    title: 'a folder that is not in the list, and a file without a folder',
    files: {
      [`${at}/cellar/monthly.ts`]: '',
      [`${at}/reports/daily.ts`]: '',
      [`${at}/main.ts`]: '',
    },
    found: [`${at}/cellar/monthly.ts:1`, `${at}/main.ts:1`],
  },
  {
    title: 'innocent: downward, inside platform, a package of a forbidden name, a test, a comment',
    files: {
      [`${at}/payouts/initiate-payout.ts`]:
        "import { post } from '../ledger/post.ts'\nimport wallets from 'wallets'",
      [`${at}/platform/http/server.ts`]: "import { jobs } from '../jobs/run.ts'",
      [`${at}/platform/jobs/run.ts`]: "// import { pay } from '../../payouts/pay.ts'",
      [`${at}/ledger/post.test.ts`]: "import { pay } from '../payouts/initiate-payout.ts'",
      [`${at}/app/wire.ts`]: "import { cli } from './cli.ts'",
      'server/test/harness.ts': "import { wire } from '../src/app/wire.ts'",
      'tools/generate.ts': "import { wire } from '../server/src/app/wire.ts'",
    },
    found: [],
  },
]

const privateFiles: readonly Planted[] = [
  {
    title: 'a store, a route list, jobs and a page seen from another folder',
    files: {
      [`${at}/payouts/initiate-payout.ts`]: [
        "import { lock } from '../ledger/store.ts'",
        "import { routes } from '../payments/routes.ts'",
        "import { jobs } from '../payments/jobs.ts'",
      ].join('\n'),
      [`${at}/webhooks/view.ts`]: "import { paid } from '../checkout/pages/paid-page.ts'",
      [`${at}/app/cli.ts`]: "import { find } from '../merchants/store.ts'",
    },
    found: [
      ...[1, 2, 3].map((line) => `${at}/payouts/initiate-payout.ts:${line}`),
      `${at}/webhooks/view.ts:1`,
      `${at}/app/cli.ts:1`,
    ],
  },
  {
    title:
      'a store that writes: itself, by a part, all of it at once, lazily, passed on, by its name',
    files: {
      [`${at}/payouts/initiate-payout.ts`]: [
        "import { find, put } from '../ledger/store.ts'",
        "import { keep } from '../ledger/store.ts'",
        "import * as ledger from '../ledger/store.ts'",
        "const late = () => import('../ledger/store.ts')",
        "export { put } from '../ledger/store.ts'",
        "import { open } from '../ledger/day-store.ts'",
      ].join('\n'),
      [`${at}/ledger/store.ts`]: [
        "import { part } from './statements.ts'",
        'export const find = (sql) => sql`select id from accounts`',
        'export const put = (sql) => sql`insert into accounts (id) values (1)`',
        'const both = (sql) => [find(sql), part(sql)]',
        'export const keep = (sql) => both(sql)',
      ].join('\n'),
      [`${at}/ledger/statements.ts`]: 'export const part = (sql) => sql`delete from accounts`',
      [`${at}/ledger/day-store.ts`]: 'export const open = (sql) => sql`update accounts set id = 1`',
    },
    found: [1, 2, 3, 4, 5, 6].map((line) => `${at}/payouts/initiate-payout.ts:${line}`),
  },
  {
    title: 'innocent: what only reads, a lock, a type, a constant of a store',
    files: {
      [`${at}/payouts/initiate-payout.ts`]: [
        "import { find, type Put, lock, most } from '../ledger/store.ts'",
        "import type { put } from '../ledger/store.ts'",
        "type Row = import('../ledger/store.ts').Put",
        "export { find } from '../ledger/store.ts'",
      ].join('\n'),
      [`${at}/ledger/store.ts`]: [
        'export const most = 10',
        'export type Put = Readonly<{ id: string }>',
        'export const find = (sql) => sql`select id from accounts`',
        'export const lock = (sql) => sql`select id from accounts for update`',
        'export const put = (sql) => sql`insert into accounts (id) values (1)`',
      ].join('\n'),
    },
    found: [],
  },
  {
    title: 'innocent: from within, the rim taking routes and jobs, statements, a longer name',
    files: {
      [`${at}/payouts/initiate-payout.ts`]: [
        "import { insert } from './store.ts'",
        "import { post } from '../ledger/statements.ts'",
        "import { open } from '../ledger/open-storage.ts'",
        "import type { Route } from '../platform/http/route.ts'",
      ].join('\n'),
      [`${at}/checkout/pages/paid-page.ts`]: "import { find } from '../store.ts'",
      [`${at}/checkout/routes.ts`]: "import { paid } from './pages/paid-page.ts'",
      [`${at}/app/wire.ts`]:
        "import { a } from '../payouts/routes.ts'\nimport { b } from '../payouts/jobs.ts'",
    },
    found: [],
  },
]

const walls: readonly Planted[] = [
  {
    title: 'the simulator reads the server, a feature starts the simulator, the server its tests',
    files: {
      'simulator/src/books.ts': "import type { Money } from '../../server/src/money/money.ts'",
      [`${at}/sandbox/reset.ts`]: "import { start } from '@pirogue/simulator/src/start.ts'",
      [`${at}/ledger/post.ts`]: "import { house } from '../../test/harness.ts'",
      'dashboard/src/pages/home.tsx': "import { x } from '../../../server/src/money/money.ts'",
    },
    found: [
      'simulator/src/books.ts:1',
      `${at}/sandbox/reset.ts:1`,
      `${at}/ledger/post.ts:1`,
      'dashboard/src/pages/home.tsx:1',
    ],
  },
  {
    title: 'innocent: the rim starts the simulator, a test uses the harness, a package',
    files: {
      [`${at}/app/start-simulator.ts`]: "import { start } from '@pirogue/simulator/src/start.ts'",
      [`${at}/ledger/post.test.ts`]: "import { house } from '../../test/harness.ts'",
      'simulator/src/books.ts': "import { createServer } from 'node:http'",
    },
    found: [],
  },
]

const noCycles: readonly Planted[] = [
  {
    title: 'three files in a ring, one of the arrows a type',
    files: {
      [`${at}/money/a.ts`]: "import { b } from './b.ts'",
      [`${at}/money/b.ts`]: "\nimport type { C } from './c.ts'",
      [`${at}/money/c.ts`]: "\n\nimport { a } from './a.ts'",
    },
    found: [`${at}/money/c.ts:3`],
  },
  {
    title: 'a file that imports itself, and two in the simulator that import each other',
    files: {
      [`${at}/money/a.ts`]: "import { a } from './a.ts'",
      'simulator/src/a.ts': "import { b } from './b.ts'",
      'simulator/src/b.ts': "export * from './a.ts'",
    },
    found: [`${at}/money/a.ts:1`, 'simulator/src/b.ts:1'],
  },
  {
    title: 'innocent: a diamond is no ring',
    files: {
      [`${at}/money/a.ts`]: "import { b } from './b.ts'\nimport { c } from './c.ts'",
      [`${at}/money/b.ts`]: "import { d } from './d.ts'",
      [`${at}/money/c.ts`]: "import { d } from './d.ts'",
      [`${at}/money/d.ts`]: "// import { a } from './a.ts'",
    },
    found: [],
  },
]

const testsApart: readonly Planted[] = [
  {
    title: 'a double, a verb and a type that only tests import, beside them and from their folders',
    files: {
      [`${at}/platform/fixture.ts`]: '',
      [`${at}/platform/http.test.ts`]: "import { routes } from './fixture.ts'",
      [`${at}/ledger/place-hold.ts`]: '',
      'server/test/worlds/acts.ts': "import { placeHold } from '../../src/ledger/place-hold.ts'",
      [`${at}/money/mock.ts`]: '',
      'tools/chaos/chaos.test.ts': "import type { Mock } from '../../server/src/money/mock.ts'",
    },
    found: [`${at}/platform/fixture.ts:1`, `${at}/ledger/place-hold.ts:1`, `${at}/money/mock.ts:1`],
  },
  {
    title: 'innocent: a program, a suite of conformance, what a tool or one other file imports too',
    files: {
      [`${at}/app/main.ts`]: '',
      [`${at}/gateways/conformance.ts`]: '',
      [`${at}/gateways/a.test.ts`]: "import { describeGateway } from './conformance.ts'",
      [`${at}/app/document.ts`]: '',
      [`${at}/app/document.test.ts`]: "import { document } from './document.ts'",
      'tools/generate.ts': "import { document } from '../server/src/app/document.ts'",
      [`${at}/money/a.ts`]: "import type { B } from './b.ts'",
      [`${at}/money/b.ts`]: '',
      'server/test/b.test.ts': "import { b } from '../src/money/b.ts'",
    },
    found: [],
  },
]

const exportsUsed: readonly Planted[] = [
  {
    title: 'a function and a constant that only their own file names',
    files: {
      [`${at}/money/round.ts`]: [
        'const half = 2n',
        'export const unit = half',
        'export async function roundUp() {',
        '  return unit',
        '}',
      ].join('\n'),
      [`${at}/money/format.ts`]: "import { other } from './round.ts'",
    },
    found: [`${at}/money/round.ts:2`, `${at}/money/round.ts:3`],
  },
  {
    title: 'innocent: what a test or a tool imports, and types, which say what a function takes',
    files: {
      [`${at}/money/round.ts`]: [
        'export const unit = 2n',
        'export function roundUp() {}',
        'export type Rounded = bigint',
      ].join('\n'),
      [`${at}/money/round.test.ts`]: "import { unit } from './round.ts'",
      'tools/bench.ts': "import { roundUp } from '../server/src/money/round.ts'",
    },
    found: [],
  },
]

export const plantedImports = {
  'import law': importLaw,
  'private rooms': privateFiles,
  walls,
  'no rings': noCycles,
  'tests apart': testsApart,
  'exports used': exportsUsed,
} satisfies Partial<Record<LawName, readonly Planted[]>>
