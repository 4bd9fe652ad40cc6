// `ledger verify`: the proof that the books are right; exit code 1 when they are not.

import type { Command } from 'commander'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { compareGatewayBooks, type GatewayBooks } from '../../ledger/compare-gateway-books.ts'
import { type Check, verifyLedger } from '../../ledger/verify.ts'
import type { Said, Session } from './session.ts'

const Totals = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Object({ collected: Type.String(), paid: Type.String() })),
)
const readWithinMs = 10_000

export function addLedgerCommands(program: Command, run: Session): void {
  program
    .command('ledger')
    .description('the books')
    .command('verify')
    .description('prove every law of the ledger over all of it')
    .option('--books <url>', "also compare with the sandbox operator's GET /books/totals")
    .action(async (options: { books?: string }) => {
      const theirs = options.books === undefined ? undefined : await readBooks(options.books)
      await run.withDb('pirogue_app', async (db) => {
        const checks = await verifyLedger(db)
        if (theirs !== undefined) checks.push(await compareGatewayBooks(db, theirs))
        return sayChecks(checks)
      })
    })
}

/** The operator calls its desks `a` and `b`; here they are gateways. */
async function readBooks(url: string): Promise<GatewayBooks> {
  const mistake = (why: string) => new Error(`The operator's books cannot be read: ${why}.`)
  if (!URL.canParse(url)) throw mistake(`${url} is no URL`)
  const reply = await fetch(url, { signal: AbortSignal.timeout(readWithinMs) }).catch(() => {
    throw mistake(`${new URL(url).origin} does not answer`)
  })
  const totals: unknown = await reply.json().catch(() => undefined)
  if (!reply.ok || !Value.Check(Totals, totals)) throw mistake(`HTTP ${reply.status}, no totals`)
  return Object.fromEntries(
    Object.entries(totals).map(([desk, currencies]) => [`simulator_${desk}`, currencies]),
  )
}

function sayChecks(checks: readonly Check[]): Said {
  const ok = checks.every((check) => check.ok)
  const lines = checks.flatMap((check) => [
    `${check.ok ? 'ok   ' : 'WRONG'} ${check.check} (${check.counted} looked at)`,
    ...check.examples.map((example) => `        ${example}`),
    ...(check.broken > check.examples.length
      ? [`        and ${check.broken - check.examples.length} more`]
      : []),
  ])
  const last = ok ? 'The books are right.' : 'The books are WRONG.'
  return { json: { ok, checks }, lines: [...lines, last], failed: !ok }
}
