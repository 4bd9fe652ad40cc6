// The shops whose screens are looked at in every state: full in test and in LIVE, frozen, suspended
// and on their way to LIVE. Each takes a while to fill, and is filled when it is asked for first.

import type { SignedInCaller } from '../harness.ts'
import type { BrowserFixture } from './fixture.ts'
import { type FullShop, fillShop } from './full-shop.ts'
import { fillLiveShop, type LiveMember, liveMember } from './live-shop.ts'

/** Who looks, in which mode, and the ids of what is there. */
export type Seat = Readonly<{
  reader: SignedInCaller | LiveMember
  mode: 'test' | 'live'
  ids: FullShop['ids']
}>

/** Each seat has a reader of its own: a person has three hundred calls a minute. */
export type Seats = Readonly<
  Record<'full' | 'viewer' | 'live' | 'frozen' | 'suspended' | 'empty', () => Promise<Seat>> & {
    onTheWay: (stage: Stage, mode: Seat['mode']) => Promise<Seat>
    close(): Promise<void>
  }
>

export function seatsIn(fixture: BrowserFixture): Seats {
  const { app } = fixture
  const asked: Promise<FullShop>[] = []
  const once = (fill: () => Promise<FullShop>) => {
    let known: Promise<FullShop> | undefined
    return (): Promise<FullShop> => {
      if (known !== undefined) return known
      known = fill()
      asked.push(known)
      return known
    }
  }
  const another = async () => fillShop({ ...fixture, shop: await app.shop() })
  const full = once(() => fillShop(fixture))
  const live = once(() => fillLiveShop(app))
  const frozen = once(async () => freeze(fixture, await another()))
  const suspended = once(async () => suspend(fixture, await another()))
  const sitIn = async (shop: Promise<FullShop>, role: 'OWNER' | 'VIEWER' = 'OWNER') => {
    const { owner, ids } = await shop
    const { merchant_id } = owner
    return { reader: await app.member({ merchant_id, role }), mode: 'test', ids } as const
  }
  return {
    full: () => sitIn(full()),
    viewer: () => sitIn(full(), 'VIEWER'),
    frozen: () => sitIn(frozen()),
    suspended: () => sitIn(suspended()),
    async live() {
      const { owner, ids } = await live()
      return { reader: await liveMember(app, owner.merchant_id), mode: 'live', ids }
    },
    empty: async () => ({ reader: await app.member(), mode: 'test', ids: {} }),
    onTheWay: async (stage, mode) => ({ ...(await onTheWay(fixture, stage)), mode }),
    async close() {
      for (const shop of await Promise.allSettled(asked)) {
        if (shop.status === 'fulfilled') await shop.value.close()
      }
    },
  }
}

const reason =
  'Les pièces du 3 mars ne disent pas qui dirige la société ; nous attendons les nouvelles.'

/** A sum of its balance, then the whole. */
async function freeze({ app }: BrowserFixture, filled: FullShop): Promise<FullShop> {
  const staff = await app.staff()
  const { id } = (await filled.owner.get('/merchant-balances/')).data.results[0]
  for (const body of [{ reason, amount: '4000' }, { reason }]) {
    const { status } = await staff.post(`/admin/balances/${id}/freeze/`, body)
    if (status !== 200) throw new Error(`not frozen: ${status}`)
  }
  return filled
}

async function suspend({ app }: BrowserFixture, filled: FullShop): Promise<FullShop> {
  await app.owner`
    update merchants set status = 'SUSPENDED', suspended_reason = ${reason}, suspended_at = now()
     where id = ${filled.owner.merchant_id}`
  return filled
}

/** How far a shop has come that is not let into LIVE yet. */
export const stages = ['nothing sent', 'sent', 'refused', 'accepted'] as const
type Stage = (typeof stages)[number]

const paper = '%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'

async function onTheWay({ app }: BrowserFixture, stage: Stage): Promise<Omit<Seat, 'mode'>> {
  const reader = await app.member()
  const { merchant_id, person_id } = reader
  const seat = { reader, ids: {} }
  if (stage === 'sent' || stage === 'refused') {
    const name = 'registre-du-commerce-et-du-credit-mobilier.pdf'
    const headers = { 'content-type': 'application/pdf' }
    for (const kind of ['IDENTITY', 'BUSINESS_REGISTRATION']) {
      const address = `/kyc/documents/?kind=${kind}&file_name=${name}`
      const { status } = await reader.call('POST', address, { headers, body: paper })
      if (status >= 300) throw new Error(`not taken: ${status}`)
    }
    if (stage === 'sent') return seat
    await app.owner`
      update kyc_documents set status = 'REJECTED', note = ${reason}, reviewed_at = now()
       where merchant_id = ${merchant_id} and kind = 'IDENTITY'`
    await app.owner`
      update merchants set kyc_status = 'REJECTED', kyc_note = ${reason} where id = ${merchant_id}`
    return seat
  }
  await app.owner`update people set email_verified_at = null where id = ${person_id}`
  if (stage === 'accepted') {
    const staff = await app.staff({ role: 'OPERATIONS' })
    await staff.post(`/admin/merchants/${merchant_id}/approve/`)
  }
  return seat
}
