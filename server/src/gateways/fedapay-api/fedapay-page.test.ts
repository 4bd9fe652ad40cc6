// A payment on this operator's page, where it asks nobody on a phone: the adapter leads there, and
// the imitation's page is paid on, refused, and reported as its payer chooses.

import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startFedapay } from '../../../../simulator/src/dialects/fedapay/start.ts'
import { fedapayAccount } from '../../../test/setup/fedapay-account.ts'
import { serveHttp } from '../../../test/setup/loopback.ts'
import { toolsWithoutTokens } from '../../../test/setup/stripe-account.ts'
import { newId } from '../../platform/ids.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { GatewayOrder } from '../gateway.ts'
import { fedapayGateway } from './fedapay-gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

async function open() {
  const fedapay = await startFedapay({ port: 0, speed: 5 })
  onTestFinished(() => fedapay.stop())
  const account = fedapayAccount(fedapay, 'http://127.0.0.1:9/none')
  const gateway = fedapayGateway(account, {
    ...toolsWithoutTokens,
    ...{ outbound, clock: Date.now, note: () => undefined },
  })
  return { fedapay, gateway }
}

type Opened = Awaited<ReturnType<typeof open>>

/** By a network of which it asks nobody on a phone. */
const onPage = (): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: newId(), direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'card', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+2290166000001', flow: 'redirect' },
  ...{ otp_kind: 'NONE', otp: undefined, description: 'Panier' },
  return_url: 'https://shop.example/back',
  callback_url: 'https://pay.example/callbacks/fedapay/token',
})

async function sendOn({ gateway }: Opened) {
  const order = onPage()
  const { answer } = await gateway.prepare(order)
  if (answer.is !== 'prepared') return { answer, order }
  const known = { ...order, external_reference: answer.external_reference }
  return { answer: (await gateway.collect(known)).answer, order: known }
}

describe('a payment on its page', () => {
  const shown = async (opened: Opened) => {
    const { answer, order } = await sendOn(opened)
    if (answer.is !== 'waiting' || typeof answer.next !== 'object') throw new Error(answer.is)
    const url = answer.next.redirect_to
    const press = (fields: Record<string, string>) =>
      fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
    return { order, url, press, asked: async () => (await opened.gateway.query(order)).answer }
  }

  it('waits there, takes nothing, and is paid once', async () => {
    const opened = await open()
    const { url, press, asked } = await shown(opened)
    const page = await fetch(url, { headers: { 'accept-language': 'en' } })
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('imitation')])
    expect(await asked()).toMatchObject({ is: 'waiting' })
    expect(opened.fedapay.books()).toMatchObject([{ is_asked: false, status: 'pending' }])
    const paid = await press({ act: 'pay' })
    expect([paid.status, paid.headers.get('location')]).toEqual([303, 'https://shop.example/back'])
    expect(await asked()).toMatchObject({ is: 'confirmed', amount: 5_000_00n, currency: 'XOF' })
    expect((await press({ act: 'refuse' })).status).toBe(200)
    expect(opened.fedapay.books()).toMatchObject([{ amount: 5_000, status: 'approved' }])
  })

  it('is refused where its payer refuses it, or does not exist', async () => {
    const { url, press, asked } = await shown(await open())
    expect((await press({ act: 'refuse' })).status).toBe(303)
    expect(await asked()).toMatchObject({
      is: 'refused',
      by: 'payer',
      failure_code: 'NOT_APPROVED',
    })
    expect((await fetch(`${url}0`)).status).toBe(404)
  })

  it('is reported at once, later, or never, as its payer chooses', async () => {
    // Once each: what was taken is not sent again.
    const heard: string[] = []
    const listener = await serveHttp(async (request, response) => {
      const { name, object_id } = JSON.parse(await text(request))
      heard.push(`${name} transactions/${object_id}`)
      response.end()
    })
    onTestFinished(() => listener.close())
    const opened = await open()
    opened.fedapay.addWebhook(listener.url)
    const [never, late, soon] = [await shown(opened), await shown(opened), await shown(opened)]
    await never.press({ act: 'pay', notice: 'never' })
    await late.press({ act: 'refuse', notice: 'late' })
    await soon.press({ act: 'pay' })
    await expect
      .poll(() => heard)
      .toEqual([
        `transaction.approved ${soon.order.external_reference}`,
        `transaction.canceled ${late.order.external_reference}`,
      ])
  })
})
