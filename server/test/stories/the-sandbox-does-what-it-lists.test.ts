// A tester reads what the sandbox can be made to do, and each line of the list is then what
// happens: to a payment, a payout and a refund. What the list does not name does nothing special.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { paidPayment, refund, refundingShop } from '../setup/refunds.ts'

let app: TestApp
let shop: Shop
let listed: Json
beforeAll(async () => {
  app = await startApp()
  shop = await refundingShop(app, {}, '1000000')
  listed = (await shop.get('/sandbox/outcomes/')).data
})
afterAll(() => app?.stop())

const outcomesOf = (kind: string): Json[] =>
  listed.outcomes.filter((one: Json) => one.kind === kind)

/**
 * `read` until the record is as the list says; a PENDING one is so from the beginning. Of what
 * leaves, the operator's first word counts: on a busy machine we may only hear its second.
 */
const endsAs = ({ kind, ending, status, failure_code }: Json, read: () => Promise<Json>) =>
  eventually(async () => {
    const { data } = await read()
    const isLate = kind !== 'PAYIN' && ending === '09' && data.status === 'SUCCESS'
    const expected = isLate ? { status: 'SUCCESS' } : { status, failure_code }
    expect({ kind, ending, ...data }).toMatchObject({ kind, ending, ...expected })
  }, 30_000)

describe('what the sandbox can be made to do', () => {
  it('is listed for every kind, what goes well first', () => {
    const endings = ['10', '01', '02', '03', '04', '05', '06', '07', '08', '09']
    for (const kind of ['PAYIN', 'PAYOUT', 'REFUND']) {
      expect(outcomesOf(kind).map(({ ending }) => ending)).toEqual(endings)
    }
    expect(listed.outcomes).toHaveLength(3 * endings.length)
  })

  it('happens to payments by the end of the number', async () => {
    await Promise.all(
      outcomesOf('PAYIN').map(async (outcome) => {
        const { data, error } = await shop.pay({ customer: newPayer(outcome.ending) })
        const id = data?.id ?? error?.transaction
        await endsAs(outcome, () => shop.get(`/transactions/${id}/`))
      }),
    )
  }, 60_000)

  it('happens to payouts by the end of the number, or by their description', async () => {
    const send = (phone: string, description = '') =>
      shop.post('/payouts/initialize/', {
        ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj', description },
        recipient: { msisdn: phone },
        customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
      })
    await Promise.all(
      outcomesOf('PAYOUT').flatMap((outcome) =>
        [
          send(newPayer(outcome.ending).phone),
          send(newPayer().phone, `sandbox:${outcome.ending}`),
        ].map(async (sent) => {
          const { data } = await sent
          await endsAs(outcome, () => shop.get(`/transactions/${data.id}/`))
        }),
      ),
    )
  }, 60_000)

  it('happens to refunds by their reason', async () => {
    await Promise.all(
      outcomesOf('REFUND').map(async (outcome) => {
        const payment = await paidPayment(shop)
        const made = await refund(shop, payment, { reason: `sandbox:${outcome.ending}` })
        await endsAs(outcome, () => shop.get(`/refunds/${made.data.id}/`))
      }),
    )
  }, 60_000)

  it('names of each country one network for each way to confirm, with a number that is taken', async () => {
    const ways = listed.networks.map((one: Json) => `${one.country} ${one.confirmation}`)
    expect(new Set(ways).size).toBe(ways.length)
    expect(new Set(listed.networks.map((one: Json) => one.confirmation))).toEqual(
      new Set(['PHONE', 'PAGE', 'CODE_BEFORE', 'CODE_AFTER']),
    )
    for (const { country, network, currency, msisdn_start, confirmation } of listed.networks) {
      const made = await shop.pay({
        ...{ amount: '5000', currency, country, network },
        customer: { ...newPayer(), phone: `${msisdn_start}10` },
        ...(confirmation === 'CODE_BEFORE' && { otp: listed.right_otp }),
      })
      expect([network, made.status]).toEqual([network, 201])
    }
  }, 60_000)

  it('is narrowed to a country, in either case; one that is not served is refused', async () => {
    const { data } = await shop.get('/sandbox/outcomes/?country=ci')
    expect(new Set(data.networks.map((one: Json) => one.country))).toEqual(new Set(['CI']))
    expect(data.outcomes).toEqual(listed.outcomes)
    const nowhere = await shop.get('/sandbox/outcomes/?country=ZZ')
    expect(nowhere).toMatchObject({ status: 422, error: { code: 'invalid_country' } })
  })

  it('speaks the language of the call', async () => {
    const { data } = await shop.get('/sandbox/outcomes/', { 'accept-language': 'fr' })
    expect(data.outcomes[0].description).toMatch(/^Réussit/)
    expect(listed.outcomes[0].description).toMatch(/^Succeeds/)
  })

  it('is not there in LIVE', async () => {
    const live = await app.shop({ live: true, environment: 'LIVE' })
    expect((await live.get('/sandbox/outcomes/')).status).toBe(404)
  })
})
