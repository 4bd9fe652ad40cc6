// What people decide about money that did not go as it should: incidents, frozen balances,
// unmatched callbacks. Each scene shows the statements of one case.

import { openUnmatchedCallback } from '../../../server/src/incidents/open-unmatched.ts'
import type { Resolution } from '../../../server/src/incidents/resolution.ts'
import { balanceId, platformMerchant } from '../../../server/src/ledger/account.ts'
import { freezeBalance } from '../../../server/src/ledger/admin/freeze-balance.ts'
import { newId } from '../../../server/src/platform/ids.ts'
import {
  confirmResolution,
  proposeOrConfirm,
} from '../../../server/src/transactions/resolutions/resolve-incident.ts'
import { runJob } from '../../../server/test/worlds/job-acts.ts'
import { first, resolvingOf, second } from '../../../server/test/worlds/moving-acts.ts'
import type { Scene } from '../../../server/test/worlds/scene.ts'
import type { Event } from '../../../server/test/worlds/world.ts'
import { alone, playOn, playWorld, type Told } from './stage.ts'

const order = { order: 0, calls: 1 } as const
const pays: Event = { is: 'operator', ...order, does: 'pays' }
const poll: Event = { is: 'poll', crash: null }
const overTime: Event = { is: 'expire', over: true, crash: null }
const payOut: Event = { is: 'pay_out', payout: 0, times: 1, crash: null }
const settle: Event = { is: 'settle', settlement: 0, times: 1, crash: null }
const approve: Event = { is: 'on_settlement', settlement: 0, hows: ['approve'], crash: null }
const silent = { asks: ['unknown', 'unknown', 'unknown', 'unknown'] } as const
const silentOperators = { operators: [silent, silent] }

const onePayment = { payments: [{ network: 0, amount: 5000, mode: 'ADD_ON' }] } as const
const onePayout = {
  paying: {
    opening: 20_000,
    payouts: [{ network: 0, amount: 1000, mode: 'ADD_ON', large: false }],
  },
} as const
const oneSettlement = {
  paying: { opening: 20_000 },
  moving: { settlements: [{ to: 'phone', amount: 3000 }], transfers: [], adjustments: [] },
} as const

/** Two people resolve the merchant's only incident. */
async function resolve(scene: Scene, resolution: Resolution): Promise<void> {
  const [incident] = await scene.stage.owner<{ id: string; amount: bigint }[]>`
    select id, amount from incidents where merchant_id = ${scene.merchant_id}`
  if (incident === undefined) throw new Error('there is no incident')
  const { id, amount } = incident
  const deps = resolvingOf(scene, alone)
  await proposeOrConfirm(deps, first, { id, request: { resolution, amount, note: 'seen' } })
  await confirmResolution(deps, second, id)
}

const mismatch: Event = { is: 'operator', ...order, does: 'pays_other_amount' }

export const peopleScenes: readonly Told[] = [
  {
    when: 'nobody says what became of a payout, and two people find that it was paid',
    play: async (stage) => {
      const world = { ...onePayout, ...silentOperators, events: [payOut, overTime, poll] }
      await resolve(await playWorld(stage, world), 'CHARGE_MERCHANT')
    },
  },
  {
    when: 'nobody says what became of a settlement, and two people find that it was not paid',
    play: async (stage) => {
      const events = [settle, approve, overTime, poll]
      const world = { ...oneSettlement, ...silentOperators, events }
      await resolve(await playWorld(stage, world), 'CREDIT_MERCHANT')
    },
  },
  {
    when: 'two people credit a merchant with the amount that came instead of the one asked for',
    play: async (stage) => {
      const scene = await playWorld(stage, { ...onePayment, events: [mismatch] })
      await resolve(scene, 'CREDIT_MERCHANT')
    },
  },
  {
    when: 'a settlement was approved when no operator could pay it, and goes later',
    play: async (stage) => {
      const scene = await playWorld(stage, {
        ...oneSettlement,
        paying: { opening: 20_000, empty: [true, true] },
        events: [
          settle,
          approve,
          { is: 'float', operator: 0, empty: false },
          { is: 'float', operator: 1, empty: false },
        ],
      })
      runJob(scene, 'start_approved', null)
      await playOn(scene, [pays])
    },
  },
  {
    when: 'staff freeze a sum of a balance',
    play: async (stage) => {
      const { merchant_id } = await playWorld(stage, { paying: { opening: 5000 } })
      const place = { environment: 'SANDBOX', country: 'BJ', currency: 'XOF' } as const
      await freezeBalance(stage.db, first, {
        id: balanceId({ merchant_id, ...place }),
        how: 'freeze',
        reason: 'asked by a court',
        amount: '1000',
        key: 'freeze-1',
      })
    },
  },
  {
    when: 'a callback has named nobody for a quarter of an hour',
    play: async (stage) => {
      const [gateway] = stage.gateway_ids.values()
      if (gateway === undefined) throw new Error('no gateway')
      await openUnmatchedCallback(stage.db, {
        merchant_id: platformMerchant.SANDBOX,
        id: newId(),
        environment: gateway.environment,
        gateway_id: gateway.id,
      })
    },
  },
]
