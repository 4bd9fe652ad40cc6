// `ledger verify`: the proof that the books are right; exit code 1 when they are not.

import type { Command } from 'commander'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  type Check,
  compareGatewayBooks,
  type GatewayBooks,
  verifyLedger,
} from '../../ledger/verify.ts'
import type { Db } from '../../platform/db.ts'
import { findServiceUrl } from '../../platform/server-addresses.ts'
import type { Config } from '../config.ts'
import { keyringIn } from '../secret-key.ts'
import type { Session } from './session.ts'

const Totals = Type.Record(
  Type.String(),
  Type.Record(Type.String(), Type.Object({ collected: Type.String(), paid: Type.String() })),
)
const readWithinMs = 10_000

export function addLedgerCommands(program: Command, run: Session): void {
  program
    .command('ledger')
    .description('the ledger')
    .command('verify')
    .description('check every rule of the ledger, over all of it')
    .option('--books', 'also compare with the books of the sandbox operator, which must be running')
    .action((options: { books?: true }) =>
      run.withDb('pirogue_app', async (db, config) => {
        const theirs = options.books === true ? await readBooks(db, config) : undefined
        const report = (check: Check) => linesOf(check).forEach(run.report)
        const checks = await verifyLedger(db, report)
        if (theirs !== undefined) {
          const books = await compareGatewayBooks(db, theirs)
          report(books)
          checks.push(books)
        }
        const ok = checks.every((check) => check.ok)
        const last = ok ? 'The books are right.' : 'The books are WRONG.'
        return { json: { ok, checks }, lines: [last], failed: !ok }
      }),
    )
}

/** The operator calls its desks `a` and `b`; here they are gateways. */
async function readBooks(db: Db, config: Config): Promise<GatewayBooks> {
  const mistake = (why: string) => new Error(`The operator's books cannot be read: ${why}.`)
  const url = config.simulator_url ?? (await findServiceUrl(db, 'simulator'))
  if (url === undefined) throw mistake('no sandbox operator has been started')
  if (config.secret_key === null && !config.embedded) throw mistake('set SECRET_KEY as it is there')
  // Loaded here only: the other commands need nothing of the running service.
  const { simulatorSecrets } = await import('../wire.ts')
  const { token } = simulatorSecrets(await keyringIn(config, db, () => undefined))
  const reply = await fetch(`${url}/books/totals`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(readWithinMs),
  }).catch(() => {
    throw mistake(`${url} does not answer`)
  })
  const totals: unknown = await reply.json().catch(() => undefined)
  if (!reply.ok || !Value.Check(Totals, totals)) throw mistake(`HTTP ${reply.status}, no totals`)
  return Object.fromEntries(
    Object.entries(totals).map(([desk, currencies]) => [`simulator_${desk}`, currencies]),
  )
}

const leftOut = (left_out: number): string =>
  `        left out: ${left_out} made-up transactions, which no operator has seen`

const linesOf = ({ check, ok, counted, broken, examples, left_out = 0 }: Check): string[] => [
  `${ok ? 'ok   ' : 'WRONG'} ${check} (${counted} checked)`,
  ...(left_out > 0 ? [leftOut(left_out)] : []),
  ...examples.map((example) => `        ${example}`),
  ...(broken > examples.length ? [`        and ${broken - examples.length} more`] : []),
]
