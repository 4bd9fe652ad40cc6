// Where SQL may stand, who writes which table, and the one function that moves a status.

import ts from 'typescript'
import { composed } from '../../src/platform/sql.ts'
import { folderOrder, rim } from './folder-order.ts'
import { composing } from './paper-laws.ts'
import { namesAround, stringsOf } from './source.ts'
import { assignedIn, bare, hole, isSql, type Write, writesIn } from './sql-text.ts'
import { tableOwners } from './table-owners.ts'
import { type Finding, folderOf, isServer, isServerProduction, isTest, type Tree } from './tree.ts'

const sqlFiles = /\/(?:[a-z0-9-]+-)?(?:store|statements)\.ts$/
const mechanisms = new RegExp(
  '^server/src/platform/(?:(?:.+/)?' +
    '(?:migrate|prepare-database|db|sql|copy-rows|ownership|server-addresses)\\.ts' +
    '|(?:embedded|jobs|idempotency)/.+)$',
)

/**
 * SQL stands in `store.ts` and `statements.ts`, in files whose names end so, such as
 * `erasure-statements.ts`, and in the mechanisms of platform/.
 */
export function sqlInStores(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isServerProduction)) {
    if (sqlFiles.test(leaf.path) || mechanisms.test(leaf.path)) continue
    for (const words of stringsOf(leaf).filter(isSql)) {
      const note = 'SQL stands only in *store.ts and *statements.ts: give it a named function there'
      found.push({ path: leaf.path, line: words.line, law: 'SQL in stores', note })
    }
  }
  return found
}

/** A table is written only in the folder that owns it. Tests beside the code are bound as well. */
export function tableOwnership(tree: Tree): Finding[] {
  const found = strangeTables(tree)
  for (const leaf of tree.filter(isServer)) {
    const folder = folderOf(leaf.path)
    for (const words of stringsOf(leaf)) {
      for (const write of writesIn(words.text)) {
        const note = ownershipBroken(write, { folder, bindsUnknown: !isTest(leaf) && isSql(words) })
        if (note === undefined) continue
        const line = words.line + write.lines_down
        found.push({ path: leaf.path, line, law: 'table owners', note })
      }
    }
  }
  return found
}

type WritePlace = { folder: string | undefined; bindsUnknown: boolean }

function ownershipBroken({ table }: Write, place: WritePlace): string | undefined {
  const owner = table === undefined ? undefined : ownerOf(table)
  if (owner !== undefined) {
    if (owner === place.folder) return undefined
    return `${table} is written in ${owner}/ only: call its verb or join its statement`
  }
  // A word after “update” in a sentence is no table; in SQL it must be one we know. A test of a
  // mechanism may make a table of its own.
  if (!place.bindsUnknown) return undefined
  if (table !== undefined) return `${table} has no owner: add it to test/tidy/table-owners.ts`
  if (place.folder === 'platform') return undefined
  return 'the written table is a hole in the text: name it, so that its owner can be seen'
}

const ownerOf = (table: string): string | undefined =>
  Object.hasOwn(tableOwners, table) ? tableOwners[table] : undefined

const created =
  /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(?:\w+\.)?"?(\w+)"?(.*)/gi

// A table made by a migration has an owner; a partition belongs to its parent's.
function strangeTables(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const { path, text } of tree) {
    if (!/^server\/migrations\/.+\.sql$/.test(path)) continue
    for (const match of text.replace(/--.*/g, '').matchAll(created)) {
      const [, table = '', tail = ''] = match
      if (/^\s+partition\s+of\b/i.test(tail) || ownerOf(table.toLowerCase()) !== undefined) continue
      const line = text.replace(/--.*/g, '').slice(0, match.index).split('\n').length
      const note = `${table} has no owner: add it to test/tidy/table-owners.ts`
      found.push({ path, line, law: 'table owners', note })
    }
  }
  return found
}

/** Folders named by the map that are not in the list: the map itself can be wrong. */
export function unknownOwners(): string[] {
  const folders: readonly string[] = folderOrder
  return Object.values(tableOwners).filter((folder) => !folders.includes(folder))
}

/** Who else looks at attempts, in a statement about something else, and why. */
const attemptReaders: Readonly<Record<string, string>> = {
  'server/src/transactions/store.ts': 'a decision is made from attempt and transaction in one look',
  'server/src/transactions/wait-statements.ts': 'whether a payout may leave goes by its attempts',
  'server/src/payouts/earlier-statements.ts': 'whether a payout may go alone goes by its likes',
  'server/src/transactions/export/store.ts': 'a payment was paid as its attempt was',
  'server/src/reports/overview/store.ts': 'an end counts for the network of its attempt',
  'server/src/erasure/store.ts': 'a payer whose payment is asked about stays',
  'server/src/erasure/preview-store.ts': 'the same, foreseen',
  'server/src/app/store.ts': 'ages of what is due, beside all others',
  'server/src/ledger/proof/statements.ts': 'the proof looks at every table by itself',
  'server/src/ledger/proof/decision-statements.ts': 'the same',
  'server/src/ledger/proof/payout-statements.ts': 'the same',
  'server/src/ledger/proof/refund-statements.ts': 'the same',
  'server/src/ledger/proof/return-statements.ts': 'the same',
}

const theirs = ['attempts', 'attempt_troubles', 'gateway_callbacks', 'callback_directory'] as const
const attemptTables = new RegExp(`\\b(?:from|join|into|update)\\s+(?:${theirs.join('|')})\\b`)

/** SQL about attempts and callbacks stands in attempts/: it has two homes there, and no third. */
export function attemptsAtHome(tree: Tree): Finding[] {
  const law = 'attempts at home'
  const away = tree.filter((leaf) => isServerProduction(leaf) && folderOf(leaf.path) !== 'attempts')
  return away.flatMap((leaf) => {
    const lines = stringsOf(leaf)
      .filter(({ text }) => attemptTables.test(bare(text)))
      .map(({ line }) => line)
    const { path } = leaf
    if (!Object.hasOwn(attemptReaders, path)) {
      const note = 'give it a named function in attempts/attempt-statements.ts, or join its parts'
      return lines.map((line) => ({ path, line, law, note }))
    }
    // An exception that nobody needs any more would hide the next breach.
    const note = 'it does not look at attempts any more: take it off the list in sql-laws.ts'
    return lines.length > 0 ? [] : [{ path, line: 1, law, note }]
  })
}

const composer = { 'server/src/platform/sql.ts': composed.name }

/** Where a statement is composed although a transaction may be open, and why. */
export const composedInTransaction: Readonly<Record<string, string>> = {
  'writeSettlement, server/src/settlements/make-settlement.ts':
    'its T1 is the same statement by itself and after the lock of the automatic ones of a day',
  'writeTransfer, server/src/wallets/make-transfer.ts':
    'its T1 is the same statement by itself and after the locks of a transfer that needs nobody',
  'writeRefund, server/src/refunds/make-refund.ts':
    'what is written after the payment’s lock has the balance’s own lock as its gate, as a payout',
  'numberFeeds, server/src/webhooks/sequence-store.ts':
    'goes by itself; a test holds it open in a transaction, to see that rivals skip its feed',
  'deliverFeeds, server/src/webhooks/sequence-store.ts': 'the same, for its mark',
}

/** Under the locks of a transaction each step is a statement of its own (docs/decisions/0008). */
export function plainInTransactions(tree: Tree): Finding[] {
  const law = 'plain in transactions'
  const production = tree.filter(isServerProduction)
  const open = production.flatMap(({ path, text }) =>
    composing({ path, text }, composer)
      .filter(({ call }) => isTransaction(call.arguments[0]))
      .map(({ name, line }) => ({ path, line, of: `${name}, ${path}` })),
  )
  const found = open
    .filter(({ of }) => !Object.hasOwn(composedInTransaction, of))
    .map(({ path, line }) => {
      const note = 'a transaction may be open here: run each part by itself, by runPart or runWhole'
      return { path, line, law, note }
    })
  // An exception that nobody needs any more would hide the next breach.
  const needless = production.flatMap(({ path }) =>
    Object.keys(composedInTransaction)
      .filter((of) => of.endsWith(`, ${path}`) && !open.some((one) => one.of === of))
      .map((of) => ({ path, line: 1, law, note: `${of} needs no exception: remove it` })),
  )
  return [...found, ...needless]
}

/** By its name, or because the function it is given to takes a transaction too. */
function isTransaction(sql: ts.Expression | undefined): boolean {
  if (sql === undefined || !ts.isIdentifier(sql)) return false
  if (sql.text === 'tx') return true
  for (let at: ts.Node = sql.parent; !ts.isSourceFile(at); at = at.parent) {
    if (!ts.isFunctionLike(at)) continue
    const own = at.parameters.find(({ name }) => name.getText() === sql.text)
    if (own !== undefined) return /^(?:Tx|Sql)$/.test(own.type?.getText() ?? '')
  }
  return false
}

const homeOfMoves = /^server\/src\/transactions\/(store|statements)\.ts$/

/** The status of a transaction is set by `moveStatus…` alone. */
export function statusByMove(tree: Tree): Finding[] {
  const found: Finding[] = []
  for (const leaf of tree.filter(isServer)) {
    if (isTest(leaf)) continue
    for (const words of stringsOf(leaf)) {
      const isMove =
        homeOfMoves.test(leaf.path) &&
        namesAround(words.node).some((name) => name.startsWith('moveStatus'))
      if (isMove) continue
      for (const write of writesIn(words.text).filter(setsStatus)) {
        const note =
          'a status is set by moveStatus only: call it, or list the other columns by name'
        const line = words.line + write.lines_down
        found.push({ path: leaf.path, line, law: 'status by move', note })
      }
    }
  }
  return found
}

// A hole in the list may hold anything, a status too. An insert sets the first status, which is no
// move; what it does on a conflict would be one.
function setsStatus({ table, rest }: Write): boolean {
  if (table !== 'transactions') return false
  return assignedIn(rest).some((column) => column === 'status' || column === hole)
}

const drawnIn = `server/src/${rim}/state-machines.ts`

/** Each table of states is drawn, and is asked by whoever moves: what it forbids cannot happen. */
export function statesObeyed(tree: Tree): Finding[] {
  const production = tree.filter(isServerProduction)
  const drawing = production.find(({ path }) => path === drawnIn)?.text ?? ''
  const found: Finding[] = []
  for (const { path, text } of production) {
    for (const match of text.matchAll(/\bexport const (\w+) = defineStates\b/g)) {
      const [, name = ''] = match
      const line = text.slice(0, match.index).split('\n').length
      // Or a record of tables by kind, which names it, is asked.
      const records = [
        ...text.matchAll(new RegExp(`\\bconst (\\w+)\\b[^{]*\\{[^}]*\\b${name},`, 'g')),
      ]
      const names = [name, ...records.map(([, record]) => `${record}\\[[^\\]]+\\]`)]
      const asks = new RegExp(`\\b(?:${names.join('|')})\\.(?:into|allows)\\(`)
      const isAsked = production.some((leaf) => leaf.path !== drawnIn && asks.test(leaf.text))
      const law = 'states obeyed'
      if (!isAsked) {
        const note = `nothing asks ${name}.into() or .allows(): let what moves the status ask it`
        found.push({ path, line, law, note })
      }
      if (!drawing.includes(`drawStates(${name})`)) {
        found.push({ path, line, law, note: `${name} is not drawn: add it to ${drawnIn}` })
      }
    }
  }
  return found
}
