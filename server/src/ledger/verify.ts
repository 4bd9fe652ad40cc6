// The proof that the books are right (money 5, design 1): each law is checked over whole tables in
// one statement, which sees one snapshot of them, so it may run while payments go on.

import { formatAmount } from '../money/format.ts'
import { parseHundredths } from '../money/parse-amount.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import {
  adjustmentsBooked,
  returnsBooked,
  settlementsBooked,
  transfersBooked,
} from './proof/decision-statements.ts'
import { payoutsHold } from './proof/payout-statements.ts'
import {
  feesGivenBack,
  refundsBooked,
  refundsCounted,
  refundsReturned,
} from './proof/refund-statements.ts'
import { payoutsReturned } from './proof/return-statements.ts'
import * as proof from './proof/statements.ts'
import { sumGateways, type Tally, tallyBreaches } from './store.ts'

/**
 * One law: how many things were checked, how many break it, and up to five of these in words; and
 * how many were left out because they are made up.
 */
export type Check = Readonly<{ check: string; ok: boolean; left_out?: number } & Tally>

const proofs: readonly (readonly [check: string, rows: (sql: Sql) => Fragment])[] = [
  ['entries balance', proof.entriesBalance],
  ['entries say what they move', proof.changesStated],
  ['balances are the sums of their entries', proof.balancesSum],
  ['entries are numbered without gap', proof.entriesChain],
  ['each hold ends at most once', proof.holdsEndOnce],
  ['each hold moves its amount once', proof.holdsMoveOnce],
  ['pending is the sum of open holds', proof.pendingIsInHolds],
  ['each success is booked, and nothing else', proof.successesBooked],
  ['each transfer is booked, and nothing else', transfersBooked],
  ['each settlement is booked, and nothing else', settlementsBooked],
  ['each return is booked, and nothing else', returnsBooked],
  ['each payout holds what it costs until it ends', payoutsHold],
  ['each payout that came back is booked, once', payoutsReturned],
  ['each refund is booked, and nothing else', refundsBooked],
  ['each payment counts its refunds', refundsCounted],
  ['each refund that came back is booked', refundsReturned],
  ['a fee is given back at most once, and not more of it', feesGivenBack],
  ['each adjustment is booked, and nothing else', adjustmentsBooked],
  ['suspense is the sum of open incidents', proof.suspenseIsOpen],
  ['status logs chain', proof.statusesChain],
  ['versions count the moves', proof.versionsCount],
  ['at most one attempt is open', proof.oneAttemptOpen],
]

/**
 * Every law in turn; all `ok` means that the books are right. Reads only. `done`: called with each
 * as it ends.
 */
export async function verifyLedger(
  sql: Sql,
  done: (check: Check) => void = () => undefined,
): Promise<Check[]> {
  const checks: Check[] = []
  for (const [check, rows] of proofs) {
    const tally = await tallyBreaches(sql, rows(sql))
    const one = { check, ok: tally.broken === 0, ...tally }
    checks.push(one)
    done(one)
  }
  return checks
}

// The gateways' own books against ours: what each reports to have collected and paid for us must
// equal what its accounts here show, to the franc (money 5).

/** By gateway code, then currency: amounts as decimal text, successful orders only. */
export type GatewayBooks = Readonly<
  Record<string, Readonly<Record<string, Readonly<{ collected: string; paid: string }>>>>
>

type Figures = Readonly<{ collected: bigint; paid: bigint }>

const nothing: Figures = { collected: 0n, paid: 0n }
const examplesMax = 5

/**
 * Compares the gateways that `theirs` names, in every currency that either side has. In flight, a
 * gateway is ahead of us: equality is due when everything has ended. A made-up history is left out.
 */
export async function compareGatewayBooks(sql: Sql, theirs: GatewayBooks): Promise<Check> {
  const ours = new Map<string, Figures>()
  let left_out = 0
  for (const row of await sumGateways(sql)) {
    if (theirs[row.gateway_code] === undefined) continue
    const { gateway_code, currency, collected, paid } = row
    ours.set(`${gateway_code} ${currency}`, { collected: BigInt(collected), paid: BigInt(paid) })
    left_out += row.made_up
  }
  const stated = readBooks(theirs)
  const names = [...new Set([...ours.keys(), ...stated.keys()])].sort()
  const wrong = names.flatMap((name) =>
    differences(name, ours.get(name) ?? nothing, stated.get(name) ?? nothing),
  )
  return {
    check: 'gateway accounts are the gateways’ books',
    ok: wrong.length === 0,
    counted: names.length,
    broken: wrong.length,
    examples: wrong.slice(0, examplesMax),
    left_out,
  }
}

function readBooks(books: GatewayBooks): Map<string, Figures> {
  const stated = new Map<string, Figures>()
  for (const [code, currencies] of Object.entries(books)) {
    for (const [currency, { collected, paid }] of Object.entries(currencies)) {
      stated.set(`${code} ${currency}`, { collected: readSum(collected), paid: readSum(paid) })
    }
  }
  return stated
}

function readSum(text: string): bigint {
  const hundredths = parseHundredths(text)
  if (hundredths === undefined) throw new Error(`The gateway's books hold no amount: ${text}`)
  return hundredths
}

const kinds = ['collected', 'paid'] as const

const differences = (name: string, ours: Figures, theirs: Figures): string[] =>
  kinds
    .filter((kind) => ours[kind] !== theirs[kind])
    .map(
      (kind) =>
        `${name} ${kind}: ours ${formatAmount(ours[kind])}, ` +
        `the gateway's ${formatAmount(theirs[kind])}`,
    )
