// Where each operator's adapter is played over its dialect: a stage with an account, a network and
// routes of each, and what its payers are like.

import { catalogueIn } from '../../src/catalogue/read-catalogue.ts'
import { routesIn } from '../../src/gateways/routing.ts'
import { newId } from '../../src/platform/ids.ts'
import type { TestDatabase } from '../setup/database.ts'
import { nothing } from './payout-world.ts'
import { openStage, type Stage } from './stage.ts'
import type { Operator, World } from './world.ts'

export type Place = Readonly<{
  network: string
  country: string
  /** Of a phone, before four digits that count the payers. */
  prefix: string
  /** The last digits, by which a payer pays. */
  ends: string
  /** What of a payment is given back; absent: the whole. */
  part?: string
  more?: object
}>

/** A part that no second person has to approve. */
const bj = { country: 'BJ', prefix: '+2290197', ends: '55', part: '3000' } as const

export const places: Readonly<Record<string, Place>> = {
  mtn: { network: 'mtn_bj', ...bj },
  pawapay: { network: 'moov_bj', ...bj },
  fedapay: { network: 'celtiis_bj', ...bj },
  wave: { network: 'wave_sn', country: 'SN', prefix: '+22177', ends: '055' },
  orange: { network: 'orange_ml', country: 'ML', prefix: '+22365', ends: '55' },
  stripe: {
    ...{ network: 'card', ...bj, country: 'XX', part: '40' },
    more: { currency: 'USD', amount: '100' },
  },
}
export const adapterNames = Object.keys(places)
export const codeOf = (name: string): string => `${name}_test`

/** Money leaves by these too. */
export const paysOut = ['mtn', 'pawapay', 'fedapay', 'wave']
/** Each by the operator's own refund, or by a payout where it has none. */
export const givesBack = [...paysOut, 'stripe']

export async function openAdapterStage({ owner, options }: TestDatabase): Promise<Stage> {
  const plain = await openStage(owner, options)
  await owner`delete from routes`
  const gateway_ids = new Map(plain.gateway_ids)
  for (const [name, { network }] of Object.entries(places)) {
    const id = newId()
    gateway_ids.set(codeOf(name), { id, environment: 'SANDBOX' })
    await owner`
      insert into gateways (id, code, adapter, name, environment)
      values (${id}, ${codeOf(name)}, ${name}, ${name}, 'SANDBOX')`
    await owner`update networks set is_active = true, otp_kind = 'NONE' where code = ${network}`
    for (const direction of paysOut.includes(name) ? ['COLLECT', 'DISBURSE'] : ['COLLECT']) {
      await owner`
        insert into routes (id, network_id, direction, gateway_id, environment, priority, breaker)
        select ${newId()}, id, ${direction}, ${id}, 'SANDBOX', 1, false
          from networks where code = ${network}`
    }
  }
  // What was read of them before is as they were.
  const { db } = plain
  return { ...plain, gateway_ids, catalogue: catalogueIn(db), routes: routesIn(db) }
}

const quiet: Operator = {
  ...{ create_is_idempotent: true, callback_address: 'PER_CALL', cancels: false },
  ...{ creates: [], asks: [] },
}
/** Nothing happens in it by itself: whoever plays it makes the calls. */
export const empty: World = {
  ...{ payments: [], paying: nothing, sessions: [], one_process: false },
  ...{ operators: [quiet, quiet], events: [], order: [], fates: [] },
  moving: { settlements: [], transfers: [], adjustments: [] },
}
