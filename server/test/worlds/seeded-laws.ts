// What must hold of one seed of one operator at rest: the laws of all worlds, and that its books
// and ours say the same, or people were told. What it told nobody of is the only exception.

import { expect } from 'vitest'
import { type Records, readRecords } from './records.ts'
import { playSeed, type SeededPlay, type Wanted } from './seeded-play.ts'
import { seenOf } from './seen.ts'
import type { Stage } from './stage.ts'
import { breachesOf, refundLaws } from './world-laws.ts'

const laws = [
  'each success is booked, and nothing else',
  'available is what came less what is held and spent',
  'pending is the sum of open holds',
  'a hold ends at most once',
  'at most one attempt is open',
  'status logs chain',
  'one key, one transaction, one answer',
  'each move has its event',
  'suspense is the sum of incidents',
  'no balance is below zero',
  'a payout holds what it costs, and the hold ends as the payout does',
  ...refundLaws,
]

const paid = /^(SUCCESSFUL|COMPLETED|SUCCEEDED|SUCCESS|COMPLETE|APPROVED|TRANSFERRED|SENT)$/i

type Row = Readonly<{ id: string; our_key: string; msisdn: string; refund_id: string | null }>

/** How often the operator's books say that money moved for each attempt, by its id. */
async function timesPaidIn({ scene, dialect, names }: SeededPlay, records: Records) {
  const rows = await scene.stage.owner<Row[]>`
    select id, our_key, operation_msisdn as msisdn, refund_id from attempts
     where merchant_id = ${scene.merchant_id}`
  const keyOf = ({ our_key, msisdn }: Row) => ({ our_key: names.of(our_key).our_key, msisdn })
  /** What a refund gives back. */
  const settledOf = (refund_id: string) => {
    const refund = records.refunds.find(({ id }) => id === refund_id)
    const payment = records.transactions.find(({ id }) => id === refund?.payment_id)
    return rows.find(({ id }) => id === payment?.settled_attempt)
  }
  const linesOf = (row: Row): string[] => {
    if (row.refund_id === null) return dialect.lines(keyOf(row))
    const of = settledOf(row.refund_id)
    return of === undefined ? [] : (dialect.given?.(keyOf(row), keyOf(of)) ?? [])
  }
  return new Map(rows.map((row) => [row.id, linesOf(row).filter((one) => paid.test(one)).length]))
}

type Sum = Row & Readonly<{ currency: string; asked: string; what: string }>

/** What was paid with another sum, or in another currency, than was asked for, and nobody told. */
async function otherSumsIn(
  { scene, dialect, names }: SeededPlay,
  told: ReadonlySet<string | null>,
) {
  const { moved } = dialect
  if (moved === undefined) return []
  const rows = await scene.stage.owner<Sum[]>`
    select a.id, a.our_key, a.operation_msisdn as msisdn, a.refund_id, a.currency,
           (case a.direction when 'COLLECT' then a.debited_amount else a.net_amount end)::text
             as asked, t.transaction_type as what
      from attempts a
      join transactions t on t.merchant_id = a.merchant_id and t.settled_attempt = a.id
     where a.merchant_id = ${scene.merchant_id} and t.status = 'SUCCESS' and a.refund_id is null`
  return rows.flatMap(({ id, our_key, msisdn, currency, asked, what }) => {
    if (told.has(id)) return []
    const lines = moved({ our_key: names.of(our_key).our_key, msisdn })
    const paidLines = lines.filter(({ status }) => paid.test(status))
    // One of Stripe's is in the smallest unit; all others are whole.
    const units = (amount: string, of: string) => (of === 'USD' ? 1 : 100) * Number(amount)
    const isSo = paidLines.some((one) => {
      const theirs = one.currency.toUpperCase()
      // MTN's sandbox has euros alone, in place of francs.
      const isOurs = theirs === currency || (theirs === 'EUR' && currency === 'XOF')
      return isOurs && units(one.amount, theirs) === Number(asked)
    })
    return isSo ? [] : [`${what} SUCCESS, another sum moved: ${JSON.stringify(paidLines)}`]
  })
}

/** How often the operator has made something for each attempt that is no refund, by its id. */
async function madeIn({ scene, dialect, names }: SeededPlay): Promise<Map<string, number>> {
  const rows = await scene.stage.owner<Row[]>`
    select id, our_key, operation_msisdn as msisdn, refund_id from attempts
     where merchant_id = ${scene.merchant_id} and refund_id is null`
  const keyOf = ({ our_key, msisdn }: Row) => ({ our_key: names.of(our_key).our_key, msisdn })
  return new Map(rows.map((row) => [row.id, dialect.lines(keyOf(row)).length]))
}

/** What is wrong at rest; nothing where both books say the same, or people were told. */
async function wrongIn(play: SeededPlay): Promise<string[]> {
  const { scene } = play
  const records = await readRecords(scene)
  const timesPaid = await timesPaidIn(play, records)
  const told = new Set(records.incidents.map(({ attempt_id }) => attempt_id))
  const { untold } = play.after_all
  /** Its operator changed its mind, and told nobody. */
  const isHidden = ({ id, status }: Records['attempts'][number]) =>
    untold.has(id) && status !== 'SUCCESS' && !told.has(id)
  const wrongOf = (one: Ending, attempts: Records['attempts']): string[] => {
    if (attempts.length === 0) return []
    const { status, settled_attempt } = one
    const seen = attempts.filter((attempt) => !isHidden(attempt))
    const times = seen.reduce((sum, { id }) => sum + (timesPaid.get(id) ?? 0), 0)
    const isTold = attempts.some(({ id }) => told.has(id))
    const what = `${one.what} ${status}, paid ${times} times, incident: ${isTold}`
    if (status === 'SUCCESS' && timesPaid.get(settled_attempt ?? '') === 0) return [what]
    if (status !== 'SUCCESS' && times > 0 && !isTold) return [what]
    return (status === 'PENDING' || times > 1) && !isTold ? [what] : []
  }
  const { transactions, refunds, attempts } = records
  return [
    ...scene.turns.ended().flatMap(({ name, error }) => (error ? [`${name}: ${error}`] : [])),
    ...breachesOf(laws, seenOf(scene, records)),
    ...(await otherSumsIn(play, told)),
    ...transactions.flatMap((one) =>
      wrongOf(
        { ...one, what: one.transaction_type },
        attempts.filter(({ transaction_id, refund_id }) => transaction_id === one.id && !refund_id),
      ),
    ),
    ...refunds.flatMap((one) =>
      wrongOf(
        { ...one, what: 'REFUND' },
        attempts.filter(({ refund_id }) => refund_id === one.id),
      ),
    ),
  ]
}

type Ending = Readonly<{ what: string; status: string; settled_attempt: string | null }>

export type Told = Readonly<{
  wrong: readonly string[]
  moves: readonly string[]
  /** How each refund ended. */
  refunds: readonly string[]
  /** Their types. */
  incidents: readonly string[]
  /** Attempts that succeeded after all: those that the operator told of, and the others. */
  after_all: Readonly<{ told: number; untold: number }>
  /** How often the operator made something for each attempt. */
  made: readonly number[]
  story: readonly string[]
}>

/** What the merchant was told of each payment: `FAILED SUCCESS` is one that came after all. */
function movesOf({ transactions, logs }: Records): string[] {
  const inOrder = logs.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
  const ofOne = (id: string) => inOrder.filter(({ transaction_id }) => transaction_id === id)
  return transactions.map(({ id }) =>
    ofOne(id)
      .map(({ to_status }) => to_status)
      .join(' '),
  )
}

/** Plays the seed, and says what came of it. */
export const tell = (stage: Stage, wanted: Wanted): Promise<Told> =>
  playSeed(stage, wanted, async (play) => {
    const records = await readRecords(play.scene)
    return {
      wrong: await wrongIn(play),
      moves: movesOf(records),
      refunds: records.refunds.map(({ status }) => status),
      incidents: records.incidents.map(({ type }) => type),
      made: [...(await madeIn(play)).values()],
      after_all: { told: play.after_all.told.size, untold: play.after_all.untold.size },
      story: play.scene.turns.story(),
    }
  })

/** Each that fails is named: with its name the operator plays the same faults again. */
export const seedsOf = (count: number, first = 0) =>
  Array.from({ length: count }, (_, at) => `seed ${first + at}`)

export async function expectHonest(stage: Stage, wanted: Wanted): Promise<Told> {
  const told = await tell(stage, wanted)
  const found = told.wrong.length > 0 ? [...told.wrong, ...told.story] : []
  expect(found, `${wanted.name}, ${wanted.seed}`).toEqual([])
  return told
}
