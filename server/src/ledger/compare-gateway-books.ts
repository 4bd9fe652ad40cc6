// The gateways' own books against ours: what each reports to have collected and paid for us must
// equal what its accounts here show, to the franc (money 5).

import { formatAmount } from '../money/format.ts'
import { parseHundredths } from '../money/parse-amount.ts'
import type { Sql } from '../platform/db.ts'
import { sumGateways } from './store.ts'
import type { Check } from './verify.ts'

/** By gateway code, then currency: amounts as decimal text, successful orders only. */
export type GatewayBooks = Readonly<
  Record<string, Readonly<Record<string, Readonly<{ collected: string; paid: string }>>>>
>

type Figures = Readonly<{ collected: bigint; paid: bigint }>

const nothing: Figures = { collected: 0n, paid: 0n }
const examplesMax = 5

/**
 * Compares the gateways that `theirs` names, in every currency that either side has. In flight, a
 * gateway is ahead of us: equality is due when everything has ended.
 */
export async function compareGatewayBooks(sql: Sql, theirs: GatewayBooks): Promise<Check> {
  const ours = new Map<string, Figures>()
  for (const row of await sumGateways(sql)) {
    if (theirs[row.gateway_code] === undefined) continue
    const { gateway_code, currency, collected, paid } = row
    ours.set(`${gateway_code} ${currency}`, { collected: BigInt(collected), paid: BigInt(paid) })
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
  }
}

function readBooks(books: GatewayBooks): Map<string, Figures> {
  const stated = new Map<string, Figures>()
  for (const [code, currencies] of Object.entries(books)) {
    for (const [currency, { collected, paid }] of Object.entries(currencies)) {
      stated.set(`${code} ${currency}`, { collected: read(collected), paid: read(paid) })
    }
  }
  return stated
}

function read(text: string): bigint {
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
