// What was proven of each operator, from the table that people read in docs/operators: imitated,
// proven by another's client, seen at the operator itself. Law: what nobody has seen there is null,
// and what was seen long ago is stale.

import { readFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { findAdapter } from './adapters.ts'

/** `on`: a day. `evidence`: a file of docs/operators/evidence. */
export type Seen = Readonly<{ on: string; by: string; evidence: string; amount?: string }>

/** A line of `verified.json`: one operator, one ability. */
export type VerifiedLine = Readonly<{
  operator: string
  ability: string
  imitated: string | null
  client_proof: Readonly<{ on: string; client: string }> | null
  sandbox: Seen | null
  live: Seen | null
}>

/** What is older says nothing of today: the table calls it stale. Days. */
export const seen_days = 180
const day_ms = 86_400_000

/** The last moment on which it says something of today. */
export const goodUntil = ({ on }: Pick<Seen, 'on'>): Date =>
  new Date(Date.parse(on) + seen_days * day_ms)

const day = Type.String({ format: 'date', description: 'The day on which it was seen.' })

const SeenView = Type.Object(
  {
    on: day,
    by: Type.String({ description: 'Who has seen it.' }),
    amount: Type.Union([Type.String(), Type.Null()], {
      description: 'With its currency; null where no money was moved.',
    }),
    evidence: Type.String({ description: 'A file of `docs/operators/evidence`.' }),
    is_stale: Type.Boolean({ description: 'More than 180 days ago.' }),
  },
  { title: 'OperatorSeen' },
)

const ClientProofView = Type.Object(
  { on: day, client: Type.String({ description: 'With its version.' }) },
  { title: 'OperatorClientProof' },
)

export const VerifiedView = Type.Object(
  {
    ability: Type.String({ description: 'Such as `collect`, `pay out` or `callbacks (signed)`.' }),
    imitated: Type.Union([day, Type.Null()], {
      description: 'Since when an imitation of ours speaks its wire, from its documents.',
    }),
    client_proof: Type.Union([ClientProofView, Type.Null()], {
      description: 'A client that we did not write drives that imitation.',
    }),
    sandbox: Type.Union([SeenView, Type.Null()], {
      description: 'Seen in the operator’s own sandbox; null: not yet.',
    }),
    live: Type.Union([SeenView, Type.Null()], {
      description: 'Seen with real money; null: not yet.',
    }),
  },
  { title: 'OperatorVerified' },
)

export const verifiedExample = {
  ability: 'collect',
  imitated: '2026-11-23',
  client_proof: null,
  sandbox: null,
  live: null,
}

const source = new URL('../../../docs/operators/verified.json', import.meta.url)

/** Read once: it does not change while the process lives. */
let kept: readonly VerifiedLine[] | undefined

/** Nothing is claimed where the table is not there; whoever switches accounts is not stopped. */
function readTable(): readonly VerifiedLine[] {
  try {
    return JSON.parse(readFileSync(source, 'utf8'))
  } catch {
    return []
  }
}

/** Of the operator of these accounts, in the order of the table; empty for the sandbox's own. */
export function viewVerified(adapter: string): Static<typeof VerifiedView>[] {
  kept ??= readTable()
  const name = findAdapter(adapter)?.name
  return kept
    .filter(({ operator }) => operator === name)
    .map(({ operator: _, sandbox, live, ...line }) => ({
      ...line,
      ...{ sandbox: viewSeen(sandbox), live: viewSeen(live) },
    }))
}

export const viewSeen = (seen: Seen | null): Static<typeof SeenView> | null =>
  seen && {
    ...{ on: seen.on, by: seen.by, amount: seen.amount ?? null, evidence: seen.evidence },
    is_stale: goodUntil(seen).getTime() < Date.now(),
  }
