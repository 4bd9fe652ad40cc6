// What a key leaves behind when it ends: a thief's webhook still receives events, and the thief's
// links and sessions take money in the merchant's name. The answer to ending the key lists all of
// it, and the webhooks may be switched off.

import { Type } from 'typebox'
import { targetsOfKey } from '../../audit/audit-log.ts'
import type { Tx } from '../../platform/db.ts'
import type { Caller } from '../../platform/http/route.ts'
import type { ApiKey } from './api-key.ts'

/** For each kind: how many, and the newest of them. */
export type Made = Readonly<{ count: number; ids: readonly string[] }>

export type MadeByKey = Readonly<{
  webhooks: Made
  payment_links: Made
  checkout_sessions: Made
}>

/** Switches off those that are still on; returns which. Implemented by a folder further down. */
export type SwitchOffWebhooks = (
  tx: Tx,
  caller: Caller,
  ids: readonly string[],
) => Promise<readonly string[]>

const shown_max = 100

/** A webhook that it changed counts with those it made: it may have another address since. */
const actions = [
  'webhook.registered',
  'webhook.changed',
  'payment_link.created',
  'checkout_session.created',
] as const

export async function madeByKey(
  tx: Tx,
  { merchant_id, environment, id, created_at }: ApiKey,
): Promise<MadeByKey> {
  const of = { merchant_id, environment, api_key_id: id, since: created_at }
  const targets = await targetsOfKey(tx, { ...of, actions, limit: shown_max })
  const made = (kind: string): Made => {
    const { count = 0, ids = [] } = targets.find((one) => one.kind === kind) ?? {}
    return { count, ids }
  }
  return {
    webhooks: made('webhook'),
    payment_links: made('payment_link'),
    checkout_sessions: made('checkout_session'),
  }
}

const MadeSchema = Type.Object({
  count: Type.Integer(),
  ids: Type.Array(Type.String({ format: 'uuid' }), {
    description: `The newest, at most ${shown_max}.`,
  }),
})

export const madeFields = {
  made: Type.Object(
    { webhooks: MadeSchema, payment_links: MadeSchema, checkout_sessions: MadeSchema },
    {
      description:
        'What the key created, and the webhooks that it changed: none of it ends with the key.',
    },
  ),
  webhooks_deactivated: Type.Array(Type.String({ format: 'uuid' })),
}

const none = { count: 0, ids: [] }

export const madeExample = {
  made: {
    webhooks: { count: 1, ids: ['01981f3a-0000-7000-8000-00000000f101'] },
    payment_links: none,
    checkout_sessions: none,
  },
  webhooks_deactivated: ['01981f3a-0000-7000-8000-00000000f101'],
}
