// Planted breaches and innocent look-alikes for the laws of what is written about the code.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is planted is source as text.

import { batchCalls } from '../../src/platform/batch-calls.ts'
import { composed } from '../../src/platform/sql.ts'
import type { LawName, Planted } from './laws.ts'

const at = 'server/src'
// By their own names, so that who renames them renames them here.
const [join, line] = [composed.name, batchCalls.name]
const imports = `import { ${join} } from '../platform/sql.ts'`

const statementsShown: readonly Planted[] = [
  {
    title: 'two statements that are shown nowhere, one by another name, and a line of calls',
    files: {
      [`${at}/payouts/make-payout.ts`]: [
        imports,
        'export async function makePayout(db) {',
        `  await again(() => ${join}(db, parts, last))`,
        '}',
      ].join('\n'),
      [`${at}/payouts/end-payout.ts`]: [
        `import { ${join} as together } from '../platform/sql.ts'`,
        'const endPayout = (db) => together(db, parts, last)',
      ].join('\n'),
      [`${at}/payouts/line.ts`]: [
        `import { ${line} } from '../platform/batch-calls.ts'`,
        `const calls = perLine((db) => ${line}<A, B>({ run }))`,
      ].join('\n'),
      // Of another file, and not at the head of a statement.
      'server/statements.sql': [
        `-- makePayout, ${at}/payments/make-payment.ts`,
        `-- by endPayout, ${at}/payouts/end-payout.ts`,
      ].join('\n'),
    },
    found: [
      `${at}/payouts/make-payout.ts:3`,
      `${at}/payouts/end-payout.ts:2`,
      `${at}/payouts/line.ts:2`,
    ],
  },
  {
    title: 'innocent: shown, called by who is shown, in a test, another function of that name',
    files: {
      [`${at}/payouts/make-payout.ts`]: [
        imports,
        `export const makePayout = (db) => ${join}(db, parts, last)`,
        `const calls = ${join}(db, parts, last)`,
      ].join('\n'),
      [`${at}/payouts/make-payout.test.ts`]: `${imports}\n${join}(db, parts, last)`,
      [`${at}/people/members.ts`]: `import { ${join} } from './member.ts'\n${join}(member)`,
      'server/statements.sql': [
        `-- makePayout, ${at}/payouts/make-payout.ts`,
        `--   called by calls, ${at}/payouts/make-payout.ts`,
      ].join('\n'),
    },
    found: [],
  },
]

const plainInTransactions: readonly Planted[] = [
  {
    title: 'composed of a transaction: by its name, by its type, and where either may come',
    files: {
      [`${at}/payouts/end-payout.ts`]: [
        imports,
        `const end = (db) => inTransaction(db, async (tx) => ${join}(tx, parts, last))`,
        `async function fail(open: Tx) { await ${join}(open, parts, last) }`,
        `const again = (sql: Sql) => retry(() => ${join}(sql, parts, last))`,
      ].join('\n'),
    },
    found: [2, 3, 4].map((line) => `${at}/payouts/end-payout.ts:${line}`),
  },
  {
    title: 'an exception that is needed no longer',
    files: { [`${at}/wallets/make-transfer.ts`]: '// Composes nothing.' },
    found: [`${at}/wallets/make-transfer.ts:1`],
  },
  {
    title: 'innocent: of a pool, a part by itself, a statement that is excepted, in a test',
    files: {
      [`${at}/payouts/make-payout.ts`]: [
        imports,
        `const make = (db: Db) => ${join}(db, parts, last)`,
        `const wait = (deps: Deps) => ${join}(deps.db, parts, last)`,
        'const end = (tx: Tx) => runPart(tx, endWait(tx, wait))',
      ].join('\n'),
      [`${at}/payouts/make-payout.test.ts`]: `${imports}\nawait ${join}(tx, parts, last)`,
      [`${at}/wallets/make-transfer.ts`]: [
        imports,
        `async function writeTransfer(sql: Sql) { await ${join}(sql, parts, last) }`,
      ].join('\n'),
    },
    found: [],
  },
]

const code = {
  [`${at}/payments/make-payment.ts`]: [
    'export const makePayment = 1',
    'async function writePayments() {}',
  ].join('\n'),
  'server/statements.sql': `-- writePayments, ${at}/payments/make-payment.ts`,
}

const walkthrough: readonly Planted[] = [
  {
    title: 'a file, a function and a statement that are gone, and a function of another file',
    files: {
      ...code,
      'docs/walkthrough.md': [
        '| 1 | `payments/pay.ts` |',
        '| 2 | `payments/make-payment.ts` | `makePayments()` |',
        '| 3 | `payments/make-payment.ts` | `makePayment!` |',
        '| 4 | `makePayment()` |',
        '| 5 | `payments/make-payment.ts` | `SoftpayBody` |',
      ].join('\n'),
    },
    found: [1, 2, 3, 4, 5].map((line) => `docs/walkthrough.md:${line}`),
  },
  {
    title: 'innocent: what is there, a word of code, a route, another paper',
    files: {
      ...code,
      'docs/walkthrough.md': [
        '| `payments/make-payment.ts` | `makePayment()`, `writePayments()` | `writePayments!` |',
        'A status is `PENDING`; `POST /payments/` and `server/statements.sql` are read so.',
      ].join('\n'),
      'docs/other.md': '`payments/pay.ts`',
    },
    found: [],
  },
]

const endsOfHolds: readonly Planted[] = [
  {
    title: 'one that is not named, and a name that ends none',
    files: {
      [`${at}/ledger/holds/hold.ts`]: '// Ended by payouts/pay.ts.',
      [`${at}/payouts/close.ts`]: '// Closes.\nrunPart(tx, insertHoldEnd(tx, hold, end))',
    },
    found: [`${at}/payouts/close.ts:2`, `${at}/ledger/holds/hold.ts:1`],
  },
  {
    title: 'innocent: named, declared, a test, another word',
    files: {
      [`${at}/ledger/holds/hold.ts`]:
        '// Decided in attempts/decide.ts, ended by payouts/close.ts.',
      [`${at}/ledger/holds/statements.ts`]: 'export function insertHoldEnd(sql: Sql): Part {}',
      [`${at}/payouts/close.ts`]: 'insertHoldEnd(tx, hold, end)',
      [`${at}/payouts/close.test.ts`]: 'insertHoldEnd(tx, hold, end)',
      [`${at}/payouts/pay.ts`]: 'insertHold(tx, hold)',
    },
    found: [],
  },
]

const french = [
  '| payout | versement | décaissement, reçu |',
  '## In French',
  '| English | we say | never |',
  '|---|---|---|',
  '| payout | versement | décaissement, payout |',
  '| live mode | mode réel | mode live |',
  '## Another',
  '| receipt | reçu | ticket |',
].join('\n')

const oneFrenchWord: readonly Planted[] = [
  {
    title: 'a rival, in the plural, in a part, in a list; a word that nobody says',
    files: {
      'docs/GLOSSARY.md': french,
      [`${at}/payouts/errors.ts`]: [
        "const a = { en: 'A payout.', fr: 'Un décaissement.' }",
        "const b = { en: '', fr: 'Vos ' + 'Payouts' }",
        'const c = { fr: ["Des versements", `Le payout`] }',
      ].join('\n'),
    },
    found: [
      `${at}/payouts/errors.ts:1`,
      `${at}/payouts/errors.ts:2`,
      `${at}/payouts/errors.ts:3`,
      'docs/GLOSSARY.md:6',
    ],
  },
  {
    title: 'any string of the dashboard’s French, and what stands in its English as innocent',
    files: {
      'docs/GLOSSARY.md': french,
      'dashboard/src/words/fr.ts': "import { a } from './fr/payout.ts'\nconst b = 'mode live'",
      'dashboard/src/words/fr/money.ts':
        "const a = {\n  b: 'Un versement en mode réel',\n" + "  c: 'Un payout',\n} as const",
      'dashboard/src/words/en.ts': "const a = 'A payout'",
    },
    found: ['dashboard/src/words/fr.ts:2', 'dashboard/src/words/fr/money.ts:3'],
  },
  {
    title: 'innocent: English, a longer word, a word of another section, a test, a name in code',
    files: {
      'docs/GLOSSARY.md': french,
      [`${at}/payouts/errors.ts`]: [
        "const a = { en: 'A payout.', fr: 'Un versement en mode réel : ticket, payoutes.' }",
        "const b = { fr: 'PAYOUT, /payout/, `payout`.' }",
        'const payout = { fr: payout }',
      ].join('\n'),
      [`${at}/payouts/errors.test.ts`]: "const a = { fr: 'payout' }",
    },
    found: [],
  },
]

const frenchApostrophes: readonly Planted[] = [
  {
    title: 'a straight one, in both kinds of quotes',
    files: {
      [`${at}/payouts/errors.ts`]: [
        'const a = { fr: "Le solde n\'a rien." }',
        "const b = { en: '', fr: 'L\\'adresse' }",
      ].join('\n'),
    },
    found: [`${at}/payouts/errors.ts:1`, `${at}/payouts/errors.ts:2`],
  },
  {
    title: 'innocent: English, a curved one, a quotation',
    files: {
      [`${at}/payouts/errors.ts`]: 'const a = { en: "It isn\'t", fr: "L’en-tête \'X\'" }',
    },
    found: [],
  },
]

const ofFindings = "import { named, pass } from '../findings.ts'"
const check = `${at}/gateways/x/check.ts`
const builders = { [`${at}/gateways/findings.ts`]: '' }

const sameInBoth: readonly Planted[] = [
  {
    title: 'one language empty, a copy, another hole, number or name, a sentence as a name',
    files: {
      ...builders,
      [check]: [
        ofFindings,
        "const a = { en: 'No answer.', fr: '' }",
        "const b = { en: 'no answer', fr: 'no answer' }",
        'const c = { en: `${days} days old`, fr: `${hours} jours` }',
        'const d = { en: `good for ${days.en}`, fr: `valable ${days.en} de ${host}` }',
        "const e = { en: 'Within 24 hours.', fr: 'Sous ' + '48 heures.' }",
        "const f = { en: 'Compare base_url.', fr: 'Comparez l’adresse.' }",
        "const g = { en: 'See --next.', fr: 'Voyez --now.' }",
        "const h = pass(a, named('nothing yet'))",
      ].join('\n'),
    },
    found: [2, 3, 4, 5, 6, 7, 8, 9].map((line) => `${check}:${line}`),
  },
  {
    title: 'innocent: the same hole by language, a choice, a number as it is written, a name',
    files: {
      ...builders,
      [check]: [
        ofFindings,
        'const a = { en: `good for ${days.en}`, fr: `valable ${days.fr}` }',
        "const b = { en: `${n} ${n > 1 ? 'ports' : 'port'}`, fr: `${n} ${n > 1 ? 'x' : 'y'}` }",
        "const c = { en: 'At most 1,000: set a_b.', fr: 'Au plus 1 000 : réglez a_b.' }",
        "const d = pass(named('TLS'), named(`npm run cli -- gateway rotate ${code}`))",
        "const e = { en: days === 1 ? 'day' : 'days', fr: 'jours' }",
        "const f = { en: '', fr: '' }",
      ].join('\n'),
      [`${at}/payouts/errors.ts`]: "const a = { en: 'Date', fr: 'Date' }",
    },
    found: [],
  },
]

export const plantedPapers = {
  'statements shown': statementsShown,
  'plain in transactions': plainInTransactions,
  walkthrough,
  'ends of holds': endsOfHolds,
  'one French word': oneFrenchWord,
  'French apostrophes': frenchApostrophes,
  'same in both': sameInBoth,
} satisfies Partial<Record<LawName, readonly Planted[]>>
