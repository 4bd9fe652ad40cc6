// What is done with checkout sessions: a merchant opens and cancels them, payers pay them, more
// than one at a time and from two countries, and a worker ends those whose time is over.

import { cancelSession } from '../../src/checkout/end-session.ts'
import { paySession } from '../../src/checkout/public/pay-session.ts'
import { openBySlug, type PublicDeps, payerOf } from '../../src/checkout/public/payer.ts'
import { newSlug } from '../../src/checkout/slug.ts'
import { findSession } from '../../src/orders/order-statements.ts'
import { newId } from '../../src/platform/ids.ts'
import { homeOf } from '../../src/platform/places/places.ts'
import { rightOtp } from './operator.ts'
import { callerOf, handsOf, type Scene } from './scene.ts'
import type { SessionEvent } from './session-world.ts'
import { allNetworks } from './stage.ts'
import { start, unlessRefused } from './start-line.ts'

type SessionEventOf<K extends SessionEvent['is']> = Extract<SessionEvent, { is: K }>

/** As the merchant's server and the link's page make them. */
export async function openSessions(scene: Scene): Promise<void> {
  const { world, stage, merchant_id } = scene
  if (world.sessions.length === 0) return
  const link = newId()
  const rows = world.sessions.map(({ amount, by_link }) => {
    return { id: newId(), slug: newSlug(), amount: amount * 100, link: by_link ? link : null }
  })
  await homeOf(stage.owner, merchant_id)`
    with link as (
      insert into payment_links (merchant_id, id, environment, slug, name, description,
        amount_type, amount, currency, is_active, usage_limit)
      values (${merchant_id}, ${link}, 'SANDBOX', ${newSlug()}, 'A world', '', 'FREE', null,
        'XOF', true, 1)
    )
    insert into checkout_sessions (merchant_id, id, environment, slug, amount, currency,
      customer_email, customer_name, payment_link, expires_at, due_at)
    select ${merchant_id}, r.id, 'SANDBOX', r.slug, r.amount, 'XOF', 'awa@example.com',
           'Awa Diop', r.link, now() + interval '1 day', now() + interval '1 day'
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as r (id uuid, slug text, amount bigint, link uuid)`
  await stage.owner`
    insert into slugs (slug, merchant_id, kind, id)
    select r.slug, ${merchant_id}, 'SESSION', r.id
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (id uuid, slug text)`
  for (const [at, { id, slug }] of rows.entries()) scene.sessions.set(at, { id, slug })
}

/** Each time as another tab of the payer's would. */
export function paySessions(scene: Scene, event: SessionEventOf<'pay_session'>): void {
  const session = scene.sessions.get(event.session)
  const network = allNetworks[event.network]
  if (session === undefined || network === undefined) return
  for (let time = 0; time < event.times; time += 1) {
    start(scene, {
      what: `pay session ${event.session} by ${network}`,
      crash: time === 0 ? event.crash : null,
      work: async (line) => {
        const { deps } = handsOf(scene, line, '/initialize/')
        const opened = await openBySlug(deps.db, session.slug)
        const asker = { ip: '192.0.2.1', request_id: line.name, locale: 'en' } as const
        const caller = payerOf(opened.target.session, opened.profile, asker)
        const customer = { phone: phoneFor(scene, network) }
        const body = { network, customer, otp: rightOtp }
        await unlessRefused(() =>
          paySession(publicOf(scene, deps), { checkout: opened, caller, body }),
        )
      },
    })
  }
}

/** Of the network's country; how often a phone is asked is counted over all merchants. */
const phoneFor = ({ no }: Scene, network: string): string =>
  `+${network.endsWith('_ci') ? '2250700' : '2290197'}${String(no % 1_000_000).padStart(6, '0')}`

const publicOf = ({ stage }: Scene, deps: ReturnType<typeof handsOf>['deps']): PublicDeps => ({
  ...deps,
  public_url: 'https://pirogue.example',
  keyring: stage.keyring,
  limits: { ...deps.limits, public_per_ip_minute: 1_000_000, link_sessions_hour: 1_000_000 },
})

export function cancelASession(scene: Scene, event: SessionEventOf<'cancel_session'>): void {
  const session = scene.sessions.get(event.session)
  if (session === undefined) return
  const key = { merchant_id: scene.merchant_id, id: session.id }
  start(scene, {
    what: `cancel session ${event.session}`,
    crash: event.crash,
    work: async (line) => {
      const { deps } = handsOf(scene, line)
      const found = await findSession(deps.db, key)
      if (found !== undefined) await cancelSession(deps, callerOf(scene, line), found)
    },
  })
}
