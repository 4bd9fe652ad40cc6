// What goes on around a payment: who calls, how events are numbered and delivered, leases of jobs.
// Each scene shows the statements of one case.

import pino from 'pino'
import { authenticator } from '../../../server/src/merchants/authenticate.ts'
import { createKey } from '../../../server/src/merchants/keys/issue-keys.ts'
import { initializeTopUp } from '../../../server/src/payments/top-ups/initialize-top-up.ts'
import { assertNoTransaction } from '../../../server/src/platform/db.ts'
import { notOnce } from '../../../server/src/platform/http/route.ts'
import { newId } from '../../../server/src/platform/ids.ts'
import { giveUpLease, takeLease } from '../../../server/src/platform/jobs/leases.ts'
import type { Job } from '../../../server/src/platform/jobs/worker.ts'
import { createGuardedOutbound } from '../../../server/src/platform/outbound/guard.ts'
import { search } from '../../../server/src/search/search.ts'
import { findStory } from '../../../server/src/timeline/store.ts'
import {
  announceChanges,
  noticeChanges,
} from '../../../server/src/webhooks/availability/announce-changes.ts'
import { webhookJobs } from '../../../server/src/webhooks/jobs.ts'
import { resendDelivery } from '../../../server/src/webhooks/logs/resend-delivery.ts'
import {
  changeWebhook,
  testWebhook,
} from '../../../server/src/webhooks/registrations/change-webhook.ts'
import { registerWebhook } from '../../../server/src/webhooks/registrations/register-webhook.ts'
import { startReplay } from '../../../server/src/webhooks/replays/replay-events.ts'
import { type Receiver, startReceiver } from '../../../server/test/setup/webhook-receiver.ts'
import { first } from '../../../server/test/worlds/moving-acts.ts'
import { callerOf, handsOf, type Scene } from '../../../server/test/worlds/scene.ts'
import type { Stage } from '../../../server/test/worlds/stage.ts'
import { alone, playWorld, type Told } from './stage.ts'

const log = pino({ level: 'silent' })
const rules = { allow_private: true, own_ports: () => [] }
const wake = () => undefined

type Heard = Readonly<{ deps: Deps; caller: Caller; id: string; work: () => Promise<void> }>
type Deps = Readonly<{ db: Stage['db']; keyring: Stage['keyring'] }> & typeof rules & Waking
type Waking = Readonly<{ wake: () => undefined }>
type Caller = ReturnType<typeof callerOf>

/** A merchant with a payment and a webhook; `work` runs each job of webhooks once. */
async function hearing(
  stage: Stage,
  act: (heard: Heard, receiver: Receiver, scene: Scene) => Promise<unknown>,
): Promise<void> {
  const receiver = await startReceiver()
  const outbound = createGuardedOutbound({ assertNoTransaction, ...rules })
  const { db, keyring } = stage
  const deps = { db, keyring, wake, ...rules }
  // However slow this machine is, no lease is renewed under way.
  const clockwork = { lease_ms: 600_000 }
  const all = webhookJobs({ ...deps, quick: db, outbound, log, clockwork })
  // What networks do has a scene of its own.
  const jobs = all.filter((job) => job.name !== 'announce-availability')
  try {
    const scene = await playWorld(stage, {})
    const caller = callerOf(scene, alone)
    const { webhook } = await registerWebhook(deps, caller, { url: receiver.url })
    const { id } = webhook
    await testWebhook(deps, caller, { id, carries: {} })
    await act({ deps, caller, id, work: () => runEach(jobs) }, receiver, scene)
  } finally {
    receiver.close()
    await outbound.close()
  }
}

async function runEach(jobs: readonly Job[]): Promise<void> {
  const { signal } = new AbortController()
  for (const job of jobs) {
    while ((await job.run({ signal })) === 'more');
    await job.finish?.()
  }
}

const deliveryOf = async ({ owner }: Stage, webhook_id: string): Promise<string> => {
  const [row] = await owner<{ id: string }[]>`
    select id from deliveries where webhook_id = ${webhook_id}`
  if (row === undefined) throw new Error('no delivery')
  return row.id
}

export const noticeScenes: readonly Told[] = [
  {
    when: 'a call comes with an API key',
    whole: true,
    play: async (stage) => {
      const { merchant_id } = await playWorld(stage, {})
      const key = { merchant_id, environment: 'SANDBOX', scope: 'BOTH', name: 'a key' } as const
      const { secret } = await createKey(stage.owner, key)
      const facts = { headers: {}, ip: '192.0.2.1', request_id: 'generate', locale: 'en' } as const
      await authenticator(stage.db)({ ...facts, authorization: `Bearer ${secret}` })
    },
  },
  {
    when: 'an event is numbered and delivered',
    whole: true,
    play: (stage) => hearing(stage, ({ work }) => work()),
  },
  {
    when: 'a delivery is answered 500, and is asked for again',
    play: (stage) =>
      hearing(stage, async ({ deps, caller, id, work }, receiver) => {
        receiver.answerWith((response) => void response.writeHead(500).end())
        await work()
        await resendDelivery(deps, caller, await deliveryOf(stage, id))
      }),
  },
  {
    when: 'an endpoint says that it is gone, and is switched off',
    play: (stage) =>
      hearing(stage, ({ work }, receiver) => {
        receiver.answerWith((response) => void response.writeHead(410).end())
        return work()
      }),
  },
  {
    when: 'a webhook is changed, and what it missed is replayed',
    play: (stage) =>
      hearing(stage, async ({ deps, caller, id, work }) => {
        await work()
        await changeWebhook(deps, caller, { id, is_active: false })
        await changeWebhook(deps, caller, { id, is_active: true, events: [] })
        await startReplay(deps, caller, { id, since: new Date(Date.now() - 60_000).toISOString() })
        await work()
      }),
  },
  {
    when: 'a network closes, and merchants asked for it by name',
    play: async (stage) => {
      const { db, keyring, owner } = stage
      const scene = await playWorld(stage, {})
      const deps = { db, keyring, wake, ...rules }
      const url = 'https://hooks.example.com/x'
      await registerWebhook(deps, callerOf(scene, alone), { url, events: ['availability.changed'] })
      await noticeChanges({ db: owner })
      await owner`update routes set is_active = not is_active`
      await noticeChanges({ db: owner })
      await announceChanges({ db, wake })
      await owner`update routes set is_active = not is_active`
    },
  },
  {
    when: 'one search looks at everything a merchant has',
    whole: true,
    play: async (stage) => {
      const { merchant_id } = await playWorld(stage, {})
      await search(stage.db, { merchant_id, environment: 'SANDBOX', via: 'SESSION' }, 'awa')
    },
  },
  {
    when: 'a transaction tells its story',
    whole: true,
    play: async (stage) => {
      const { merchant_id } = await playWorld(stage, {})
      const key = { merchant_id, environment: 'SANDBOX', id: newId() } as const
      const page = { cursor: undefined, limit: 51, kinds: undefined, descending: false }
      await findStory(stage.db, { ...key, ...page })
    },
  },
  {
    when: 'a merchant pays in to its own balance',
    play: async (stage) => {
      const scene = await playWorld(stage, {})
      await topUp(scene)
    },
  },
  {
    when: 'a job is done by one process at a time',
    whole: true,
    play: async ({ db }) => {
      const lease = await takeLease(db, 'generate')
      if (lease === undefined) throw new Error('no lease')
      await giveUpLease(db, { name: 'generate', ...lease })
    },
  },
]

async function topUp(scene: Scene): Promise<void> {
  const caller = callerOf(scene, alone)
  const { ip, request_id, locale } = caller
  const body = {
    amount: '5000',
    currency: 'XOF',
    country: 'BJ',
    network: 'mtn_bj',
    phone: '+2290197000010',
  } as const
  const asked = { ip, request_id, locale, params: {}, query: {}, headers: {}, once: notOnce }
  const url = new URL('https://pirogue.example/')
  await initializeTopUp(handsOf(scene, alone).deps, { ...asked, caller, person: first, body, url })
}
