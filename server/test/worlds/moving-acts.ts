// What is done with a merchant's own money: they ask for settlements and transfers, once or from
// two servers at a time; staff approve, pay, refuse, say what came back, and adjust, two and two.

import { confirmAdjustment, refuseAdjustment } from '../../src/adjustments/decide-adjustment.ts'
import { requestAdjustment } from '../../src/adjustments/request-adjustment.ts'
import { balanceId } from '../../src/ledger/account.ts'
import type { Person } from '../../src/platform/http/route.ts'
import { homeOf } from '../../src/platform/places/places.ts'
import { returnRefund } from '../../src/refunds/return-refund.ts'
import { hasGivenFee } from '../../src/refunds/store.ts'
import { approveSettlement } from '../../src/settlements/approve-settlement.ts'
import {
  cancelSettlement,
  executeSettlement,
  failSettlement,
} from '../../src/settlements/decide-settlement.ts'
import { declareReturn, returnSettlement } from '../../src/settlements/return-settlement.ts'
import {
  confirmResolution,
  type ResolveDeps,
} from '../../src/transactions/resolutions/resolve-incident.ts'
import { returnPayout } from '../../src/transactions/returns/return-payout.ts'
import { approveTransfer, rejectTransfer } from '../../src/wallets/decide-transfer.ts'
import type { MovingEvent, OnAdjustment, OnSettlement, OnTransfer } from './moving-world.ts'
import { callerOf, callRoute, handsOf, type Scene } from './scene.ts'
import { methods, staffIds } from './stage.ts'
import { start, unlessRefused } from './start-line.ts'
import type { Line } from './turns.ts'
import type { Crash } from './world.ts'

const staff = (person_id: string): Person => ({
  person_id,
  kind: 'STAFF',
  session_id: '00000000-0000-7000-8000-0000000000f0',
  email: 'staff@test.example',
  staff_role: 'SUPERADMIN',
  staff_permissions: [],
  second_factor_until: null,
  session_ends: { ends_at: new Date(), idle_at: new Date() },
  second_factor: 'FRESH',
  is_demo: false,
  environment: 'SANDBOX',
  ip: '192.0.2.1',
  request_id: 'worlds',
  locale: 'en',
})
export const [first, second] = [staff(staffIds[0]), staff(staffIds[1])] as const

/** Each as another process would. */
function startEach(
  scene: Scene,
  what: readonly string[],
  crash: Crash | null,
  work: (line: Line, at: number) => Promise<unknown>,
): void {
  for (const [at, name] of what.entries()) {
    start(scene, {
      what: name,
      crash: at === 0 ? crash : null,
      work: async (line) => {
        await unlessRefused(() => work(line, at))
      },
    })
  }
}

const often = (what: string, times: number): string[] => Array.from({ length: times }, () => what)

type MovingEventOf<K extends MovingEvent['is']> = Extract<MovingEvent, { is: K }>

export function settle(
  scene: Scene,
  { settlement: at, times, crash }: MovingEventOf<'settle'>,
): void {
  const settlement = scene.world.moving.settlements[at]
  if (settlement === undefined) return
  const key = `settle-${at}`
  const body = {
    country: 'BJ',
    requested_amount: String(settlement.amount),
    payout_method: methods[settlement.to],
  }
  const call = { path: '/settlements/', params: {}, body, key }
  startEach(scene, often(`settle ${at}`, times), crash, async (line) => {
    const { status, json } = await callRoute(scene, line, call)
    if (status === 201) scene.settlements.set(at, JSON.parse(json).id)
  })
}

export function transfer(
  scene: Scene,
  { transfer: at, times, crash }: MovingEventOf<'transfer'>,
): void {
  const amount = scene.world.moving.transfers[at]
  if (amount === undefined) return
  const body = { from_country: 'BJ', to_country: 'CM', from_amount: String(amount) }
  const call = { path: '/wallet-transfers/', params: {}, body, key: `transfer-${at}` }
  startEach(scene, often(`transfer ${at}`, times), crash, async (line) => {
    const { status, json } = await callRoute(scene, line, call)
    if (status === 201) scene.transfers.set(at, JSON.parse(json).id)
  })
}

export function adjust(
  scene: Scene,
  { adjustment: at, times, crash }: MovingEventOf<'adjust'>,
): void {
  const planned = scene.world.moving.adjustments[at]
  if (planned === undefined) return
  const { merchant_id } = scene
  const balance = balanceId({ merchant_id, environment: 'SANDBOX', country: 'BJ', currency: 'XOF' })
  const { kind, amount } = planned
  const request = { balance, kind, amount: String(amount), reason: 'a world', key: `adjust-${at}` }
  startEach(scene, often(`adjust ${at}`, times), crash, async (line) => {
    const { adjustment } = await requestAdjustment(handsOf(scene, line).deps.db, first, request)
    scene.adjustments.set(at, adjustment.id)
  })
}

export function onSettlement(scene: Scene, event: MovingEventOf<'on_settlement'>): void {
  const id = scene.settlements.get(event.settlement)
  if (id === undefined) return
  const { hows, crash } = event
  const named = hows.map((how) => `${how} settlement ${event.settlement}`)
  startEach(scene, named, crash, (line, at) => decideOn(scene, line, id, hows[at] ?? 'approve'))
}

async function decideOn(scene: Scene, line: Line, id: string, how: OnSettlement): Promise<unknown> {
  const { deps } = handsOf(scene, line, '/settlements/')
  switch (how) {
    case 'approve':
      return approveSettlement(deps, first, id)
    case 'execute':
      return executeSettlement(deps, first, {
        id,
        gateway_reference: 'VIR',
        proof_url: undefined,
      })
    case 'fail':
      return failSettlement(deps, first, { id, reason: 'a world' })
    case 'cancel':
      return cancelSettlement(deps, callerOf(scene, line), id)
    case 'declare':
      return isByBank(scene, id) ? declareReturn(deps.db, first, { id, note: 'back' }) : undefined
    case 'confirm':
      return confirmReturn(scene, line, id)
  }
}

/** What an operator paid comes back by their own word only: their books are compared with ours. */
const isByBank = ({ settlements, world }: Scene, id: string): boolean =>
  [...settlements].some(
    ([at, known]) => known === id && world.moving.settlements[at]?.to === 'bank',
  )

async function confirmReturn(scene: Scene, line: Line, id: string): Promise<unknown> {
  const { stage, merchant_id } = scene
  const [incident] = await homeOf(stage.owner, merchant_id)<{ id: string }[]>`
    select id from incidents where settlement_id = ${id} and type = 'RETURNED'`
  if (incident === undefined || !isByBank(scene, id)) return undefined
  return confirmResolution(resolvingOf(scene, line), second, incident.id)
}

export function resolvingOf(scene: Scene, line: Line): ResolveDeps {
  const { deps } = handsOf(scene, line)
  return {
    ...deps,
    hasGivenFee,
    bookReturn: (tx, incident) => {
      if (incident.refund_id !== null) return returnRefund(tx, incident)
      return incident.settlement_id === null
        ? returnPayout(tx, deps.gateways, incident)
        : returnSettlement(tx, incident)
    },
  }
}

export function onTransfer(scene: Scene, event: MovingEventOf<'on_transfer'>): void {
  const id = scene.transfers.get(event.transfer)
  if (id === undefined) return
  const { hows, crash } = event
  const acts: Readonly<Record<OnTransfer, (line: Line) => Promise<unknown>>> = {
    approve: (line) => approveTransfer(handsOf(scene, line).deps, first, id),
    reject: (line) => rejectTransfer(handsOf(scene, line).deps, first, { id, reason: 'no' }),
  }
  const named = hows.map((how) => `${how} transfer ${event.transfer}`)
  startEach(scene, named, crash, (line, at) => acts[hows[at] ?? 'approve'](line))
}

export function onAdjustment(scene: Scene, event: MovingEventOf<'on_adjustment'>): void {
  const id = scene.adjustments.get(event.adjustment)
  if (id === undefined) return
  const { hows, crash } = event
  const dbOf = (line: Line) => handsOf(scene, line).deps.db
  const acts: Readonly<Record<OnAdjustment, (line: Line) => Promise<unknown>>> = {
    confirm: (line) => confirmAdjustment(dbOf(line), second, id),
    confirm_own: (line) => confirmAdjustment(dbOf(line), first, id),
    refuse: (line) => refuseAdjustment(dbOf(line), second, { id, reason: 'no' }),
  }
  const named = hows.map((how) => `${how} adjustment ${event.adjustment}`)
  startEach(scene, named, crash, (line, at) => acts[hows[at] ?? 'confirm'](line))
}

/** Every key that was used, once more: the answer must be the one that was given. */
export function moveAllAgain(scene: Scene): void {
  const again = { times: 1, crash: null }
  for (const at of scene.settlements.keys())
    settle(scene, { is: 'settle', settlement: at, ...again })
  for (const at of scene.transfers.keys())
    transfer(scene, { is: 'transfer', transfer: at, ...again })
  for (const at of scene.adjustments.keys())
    adjust(scene, { is: 'adjust', adjustment: at, ...again })
}
