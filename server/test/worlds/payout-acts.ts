// What is done with payouts: merchants ask for them, once or from two servers at a time, look, and
// decide in the sandbox; another member says yes or no; staff freeze the balance that they leave.

import { inTransaction } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { homeOf } from '../../src/platform/places/places.ts'
import { insertReversal } from '../../src/transactions/returns/statements.ts'
import { findTransaction } from '../../src/transactions/store.ts'
import { largeAbove, type PayoutEvent } from './payout-world.ts'
import { type Call, callRoute, handsOf, type Scene } from './scene.ts'
import { codes, networks } from './stage.ts'
import { start, unlessRefused } from './start-line.ts'
import type { Line } from './turns.ts'
import type { Crash } from './world.ts'

const initializePath = '/payouts/initialize/'

export const payoutKey = (payout: number): string => `payout-${payout}`

/** Each time as another server of the merchant would, with the same key. */
export function payOut(scene: Scene, at: number, times: number, crash: Crash | null): void {
  const payout = scene.world.paying.payouts[at]
  if (payout === undefined) return
  const amount = payout.large ? largeAbove + payout.amount : payout.amount
  const body = {
    amount: String(amount),
    currency: 'XOF',
    country: 'BJ',
    method: networks[payout.network],
    // A phone of its own: what goes to one phone is looked at together.
    recipient: { msisdn: `+2290197${at}00010` },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
    fee_charge_mode: payout.mode,
    merchant_reference: payoutKey(at),
  }
  const call: Call = { path: initializePath, params: {}, body, key: payoutKey(at) }
  for (let time = 0; time < times; time += 1) {
    start(scene, {
      what: `pay out ${at}`,
      crash: time === 0 ? crash : null,
      work: async (line) => {
        await callRoute(scene, line, call)
      },
    })
  }
}

export function payOutAll(scene: Scene): void {
  for (const at of scene.world.paying.payouts.keys()) payOut(scene, at, 1, null)
}

type OnPayout = Extract<PayoutEvent, { is: 'verify_payout' | 'resolve_payout' | 'decide' }>

export async function onPayout(scene: Scene, event: OnPayout): Promise<void> {
  const id = await payoutOf(scene, event.payout)
  if (id === undefined) return
  for (const [at, call] of callsOf(event).entries()) {
    start(scene, {
      what: `${event.is} ${event.payout}`,
      crash: at === 0 ? event.crash : null,
      work: (line) =>
        unlessRefused(() => callRoute(scene, line, { ...call, params: { payout_id: id, id } })),
    })
  }
}

function callsOf(event: OnPayout): Omit<Call, 'params'>[] {
  switch (event.is) {
    case 'verify_payout':
      return [{ path: '/payouts/:payout_id/verify/', body: {}, key: undefined }]
    case 'resolve_payout': {
      const body = { outcome: event.pays ? 'SUCCESS' : 'FAILED' }
      return [{ path: '/sandbox/transactions/:id/resolve/', body, key: undefined }]
    }
    case 'decide':
      return event.hows.map((how) => ({
        path: `/payouts/:payout_id/${how}/`,
        body: how === 'reject' ? { reason: 'not this one' } : {},
        key: undefined,
        member_id: newId(),
      }))
  }
}

/** What one of the staff has proposed another confirms: it is asked for, if it can be. */
export async function askBack(scene: Scene, event: PayoutEventOf<'ask_back'>): Promise<void> {
  const transaction_id = await payoutOf(scene, event.payout)
  if (transaction_id === undefined) return
  const { merchant_id } = scene
  start(scene, {
    what: `ask back ${event.payout}`,
    crash: event.crash,
    work: async (line) => {
      const { db } = handsOf(scene, line).deps
      const payout = await findTransaction(db, { merchant_id, id: transaction_id })
      const { settled_attempt: attempt_id = null, environment } = payout ?? {}
      if (attempt_id === null || environment === undefined) return
      const [proposed_by, confirmed_by] = [newId(), newId()]
      const people = { note: 'sent to a wrong number', proposed_by, confirmed_by }
      const made = { merchant_id, id: newId(), environment, transaction_id, attempt_id, ...people }
      await inTransaction(homeOf(db, merchant_id), (tx) => insertReversal(tx, made))
    },
  })
}

/** What the merchant knows by their own reference, once it is there. */
async function payoutOf(scene: Scene, payout: number): Promise<string | undefined> {
  const known = scene.payouts.get(payout)
  if (known !== undefined) return known
  const [row] = await homeOf(scene.stage.owner, scene.merchant_id)<{ id: string }[]>`
    select id from transactions
     where merchant_id = ${scene.merchant_id} and merchant_reference = ${payoutKey(payout)}`
  if (row !== undefined) scene.payouts.set(payout, row.id)
  return row?.id
}

/** As staff say it: every process knows from its next question on. */
export function setFloat(scene: Scene, event: PayoutEventOf<'float'>): void {
  const { operator, empty, closes = false } = event
  const code = codes[operator]
  if (code === undefined) return
  const [what, words] = closes
    ? [scene.closed, ['closed', 'opened']]
    : [scene.empty, ['used up', 'filled']]
  logAct(scene, `${closes ? 'account' : 'float'} of ${code} ${words[empty ? 0 : 1]}`, () => {
    if (empty) what.add(code)
    else what.delete(code)
  })
}

export function setPrices(scene: Scene, { market }: PayoutEventOf<'prices'>): void {
  logAct(scene, `prices ${market}`, () => {
    scene.market = market
  })
}

type PayoutEventOf<K extends PayoutEvent['is']> = Extract<PayoutEvent, { is: K }>

function logAct(scene: Scene, what: string, work: () => void): void {
  start(scene, { what, crash: null, work: (line) => line.step(() => what, work) })
}

/**
 * The mark as staff put it, one after the other. In between, by the database's clock, nothing may
 * leave: what had the balance before the mark was there may still go.
 */
export function freeze(scene: Scene, frozen: boolean): void {
  const before = scene.marking
  const mark = async (line: Line) => {
    await before
    await line.step(
      () => `is_frozen = ${frozen}`,
      () => setFrozen(scene, frozen),
    )
  }
  start(scene, {
    what: frozen ? 'freeze' : 'unfreeze',
    crash: null,
    work: (line) => {
      scene.marking = mark(line)
      return scene.marking
    },
  })
}

async function setFrozen(scene: Scene, frozen: boolean): Promise<void> {
  const { stage, merchant_id, frozen_times } = scene
  if (!frozen) {
    const until_ms = await nowMs(scene)
    for (const span of frozen_times) span.until_ms ??= until_ms
  }
  const marked = await homeOf(stage.owner, merchant_id)`
    update balances set is_frozen = ${frozen}
     where merchant_id = ${merchant_id} and is_frozen <> ${frozen} returning 1`
  if (!frozen || marked.length === 0) return
  frozen_times.push({ from_ms: await nowMs(scene), until_ms: undefined })
}

async function nowMs({ stage }: Scene): Promise<number> {
  const [row] = await stage.owner<{ ms: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
  return row?.ms ?? 0
}
