// What is done with a balance while payments go on: play money comes, money is promised to
// something, and promises end, more often than once and from several processes at a time.

import type { Hold, HoldEnd } from '../../src/ledger/holds/hold.ts'
import { bankSettlementSuccess } from '../../src/ledger/postings.ts'
import { newId } from '../../src/platform/ids.ts'
import { homeOf } from '../../src/platform/places/places.ts'
import { endHold, placeHold } from '../ledger/holds.ts'
import { callRoute, handsOf, type Scene } from './scene.ts'
import { start } from './start-line.ts'
import type { Event, HoldHow } from './world.ts'

export function fund(scene: Scene, { amount, crash }: Extract<Event, { is: 'fund' }>): void {
  const body = { country: 'BJ', amount: String(amount) }
  const call = { path: '/sandbox/balances/', params: {}, body, key: undefined }
  start(scene, {
    what: `fund ${amount}`,
    crash,
    work: async (line) => {
      await callRoute(scene, line, call)
    },
  })
}

function promiseAt({ promises }: Scene, place: number) {
  const promise = promises.get(place) ?? { cause_id: newId(), hold: undefined }
  promises.set(place, promise)
  return promise
}

/** Each time as another process would: a hold of its own, for the same cause. */
export function hold(scene: Scene, event: Extract<Event, { is: 'hold' }>): void {
  const { merchant_id } = scene
  const { place, amount, times, crash } = event
  const { cause_id } = promiseAt(scene, place)
  for (let time = 0; time < times; time += 1) {
    start(scene, {
      what: `hold ${amount} for ${place}`,
      crash: time === 0 ? crash : null,
      work: async (line) => {
        await placeHold(handsOf(scene, line).deps.db, {
          merchant_id,
          environment: 'SANDBOX',
          country: 'BJ',
          currency: 'XOF',
          id: newId(),
          amount: BigInt(amount) * 100n,
          cause_kind: 'SETTLEMENT',
          cause_id,
        })
      },
    })
  }
}

/** Several processes end it at the same time, each in its own way. */
export async function endHolds(
  scene: Scene,
  { place, hows, crash }: Extract<Event, { is: 'end_hold' }>,
): Promise<void> {
  const { ends } = scene
  const promise = promiseAt(scene, place)
  promise.hold ??= await findHold(scene, promise.cause_id)
  const { cause_id, hold } = promise
  if (hold === undefined) return
  for (const [at, how] of hows.entries()) {
    start(scene, {
      what: `${how} ${place}`,
      crash: at === 0 ? crash : null,
      work: async (line) => {
        const { db } = handsOf(scene, line).deps
        const ended = await endHold(db, hold, endOf(hold, cause_id, how))
        if (ended === 'ended') ends.set(hold.id, (ends.get(hold.id) ?? 0) + 1)
      },
    })
  }
}

async function findHold(
  { stage, merchant_id }: Scene,
  cause_id: string,
): Promise<Hold | undefined> {
  const [row] = await homeOf(stage.owner, merchant_id)<Hold[]>`
    select merchant_id, id, environment, country, currency, amount from holds
     where merchant_id = ${merchant_id} and cause_kind = 'SETTLEMENT' and cause_id = ${cause_id}`
  return row
}

export const feeShare = 50_00n

function endOf(hold: Hold, cause_id: string, how: HoldHow): HoldEnd {
  if (how === 'RELEASE') return { how }
  const { amount } = hold
  const lines = bankSettlementSuccess(hold, {
    requested_amount: amount,
    client_fee: 2n * feeShare,
    gateway_fee: feeShare,
    platform_fee: feeShare,
    gateway_cost_excess: 0n,
    debited_amount: amount,
    net_amount: amount - 2n * feeShare,
  })
  return { how, on: { cause_kind: 'SETTLEMENT', cause_id, attempt_id: null, lines } }
}
