// The hosted pages as somebody on a cheap phone uses them, no script anywhere: choose, pay, wait,
// done. Whatever they do twice, and wherever the page was lost, they pay once and see the truth.

import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { callbackToken } from '../../src/attempts/callback-token.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import {
  attributeOf,
  BrowserWithoutScript,
  formOf,
  type Page,
  tagOf,
  textIn,
} from '../setup/browser-without-script.ts'
import { callPublic, openSession, sessionBecomes } from '../setup/payer-calls.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(async () => {
  const checks = await verifyLedger(app.service.db)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  await app.stop()
})

const open = (changes: Record<string, unknown> = {}) => openSession(shop, changes)
const browser = (language = 'en') => new BrowserWithoutScript(app.url, language)
const national = (magic: string) => newPayer(magic).phone.slice('+229'.length)

const becomes = (own: BrowserWithoutScript, path: string, text: string): Promise<Page> =>
  eventually(async () => {
    const page = await own.open(path)
    if (!page.text.includes(text)) throw new Error(`${text} is not in: ${page.text}`)
    return page
  })

/** Decides for the payer of a session; the transaction's id. */
async function resolve(session_id: string, outcome: string): Promise<string> {
  const { data } = await shop.get(`/checkout-sessions/${session_id}/`)
  const reply = await shop.post(`/sandbox/transactions/${data.transaction}/resolve/`, { outcome })
  expect(reply.status).toBe(200)
  return data.transaction
}

/** The operator says with its signature that an attempt has been paid after all. */
function succeedsLate(attempt: Json): Promise<Response> {
  const keyring = openKeyring(app.config.secret_key ?? '')
  const token = callbackToken(keyring, { merchant_id: shop.merchant_id, id: attempt.id })
  const body = JSON.stringify({
    ...{ event_id: 'EV-LATE', id: attempt.external_reference, reference: attempt.our_key },
    ...{ amount: '5163', currency: 'XOF', status: 'SUCCESSFUL' },
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const { callback_secret } = simulatorSecrets(keyring)
  const signature = createHmac('sha256', callback_secret).update(`${timestamp}.${body}`)
  return fetch(`${app.url}/callbacks/${attempt.gateway_code}/${token}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-sim-timestamp': timestamp,
      'x-sim-signature': signature.digest('hex'),
    },
    body,
  })
}

describe('a session', () => {
  it('is paid by choosing a network, entering a number, confirming and waiting', async () => {
    const session = await open({ country: 'BJ', description: 'Order 1042' })
    const own = browser()
    const path = `/checkout/${session.slug}`
    const first = await own.open(path)
    expect(first.status).toBe(200)
    expect(first.text).toContain('Pay FCFA 5,000')
    expect(first.text).toContain('Order 1042')
    expect(first.text).toMatch(/Fee \+ FCFA 163 .*Pay FCFA 5,163/)

    const waiting = await own.submit(first, 'pay-form', {
      network: 'mtn_bj',
      phone: national('04'),
    })
    expect([waiting.status, waiting.at]).toEqual([200, path])
    expect(waiting.text).toContain('Confirm on your phone')
    expect(waiting.text).toContain('Do not pay again')
    // Whole for the browser that typed it, and for no other.
    expect(textIn(waiting, 'number')).toMatch(/^01 \d\d \d\d \d\d 04$/)
    expect(textIn(await browser().open(path), 'number')).toMatch(/^01 \d\d •• •• 04$/)
    expect(waiting.html).toContain('<noscript><meta http-equiv="refresh" content="5"></noscript>')
    expect(tagOf(waiting, 'pay-form')).toBeUndefined()

    const id = await resolve(session.id, 'SUCCESS')
    const paid = await becomes(own, path, 'Payment successful')
    const transaction = (await shop.get(`/transactions/${id}/`)).data
    expect(textIn(paid, 'reference')).toBe(transaction.reference)
    expect(tagOf(paid, 'beside')).toBeUndefined()
    const receipt = attributeOf(tagOf(paid, 'receipt') ?? '', 'href') ?? ''
    expect((await own.open(receipt)).text).toContain(transaction.reference)
    expect(paid.html).toContain(
      '<noscript><meta http-equiv="refresh" content="10;url=https://shop.example.com/thanks?order=1042"></noscript>',
    )
    expect(tagOf(paid, 'return')).toContain('href="https://shop.example.com/thanks?order=1042"')
    expect(formOf(first, 'pay-form').fields).toMatchObject({ country: 'BJ' })
    // Sent once more from the tab that still shows the form: it is led to the truth.
    const again = await own.submit(first, 'pay-form', { network: 'mtn_bj', phone: national('10') })
    expect(again.text).toContain('Payment successful')
    await sessionBecomes(shop, session.id, 'PAID')
  })

  it('is paid once by twenty presses at once, and by two tabs', async () => {
    const session = await open({ country: 'BJ' })
    const path = `/checkout/${session.slug}`
    const phone = national('04')
    const tabs = await Promise.all(Array.from({ length: 20 }, () => browser().open(path)))
    const ends = await Promise.all(
      tabs.map((tab) => browser().submit(tab, 'pay-form', { network: 'mtn_bj', phone })),
    )
    for (const end of ends) {
      expect([end.status, end.at]).toEqual([200, path])
      expect(end.text).toContain('Confirm on your phone')
    }
    const rows = await app.owner`
      select id from transactions where checkout_session = ${session.id}`
    expect(rows).toHaveLength(1)
    await resolve(session.id, 'SUCCESS')
    await becomes(browser(), path, 'Payment successful')
    const attempts = await app.owner`
      select id from attempts where transaction_id = ${rows[0]?.['id']}`
    expect(attempts).toHaveLength(1)
  })

  it('fails in plain words and is tried again, with the same or another network', async () => {
    const session = await open({ country: 'BJ' })
    const path = `/checkout/${session.slug}`
    const own = browser()
    const choose = await own.open(path)
    expect(textIn(choose, 'pay')).toBe('Pay FCFA 5,163')
    await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: national('01') })
    const failed = await becomes(own, path, 'The payment did not go through')
    expect(failed.status).toBe(200)
    expect(textIn(failed, 'reason')).toBe('The account does not have enough money.')
    expect(failed.html).not.toContain('shop.example.com')
    expect(textIn(failed, 'pay')).toBe('Try again: pay FCFA 5,163')
    expect(formOf(failed, 'pay-form').fields).toMatchObject({ network: 'mtn_bj', country: 'BJ' })
    const phone = national('02')
    await own.submit(failed, 'pay-form', { network: 'moov_bj', phone })
    const refused = await becomes(own, path, 'was not approved')
    await own.submit(refused, 'pay-form', { network: 'moov_bj', phone: national('10') })
    await becomes(own, path, 'Payment successful')
    const { data } = await shop.get(`/transactions/?checkout_session=${session.id}`)
    expect(data.results.filter((one: Json) => one.checkout_session === session.id)).toHaveLength(1)
  })

  it('is tried again for what it was begun with, whatever is set since', async () => {
    const by = await app.shop()
    const session = await openSession(by, { country: 'BJ' })
    const path = `/checkout/${session.slug}`
    const own = browser()
    const choose = await own.open(path)
    await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: national('01') })
    await becomes(own, path, 'The payment did not go through')
    await app.owner`
      update merchants set fee_charge_mode_locked = 'DEDUCTED' where id = ${by.merchant_id}`
    const failed = await own.open(path)
    expect(textIn(failed, 'pay')).toBe('Try again: pay FCFA 5,163')
    expect(textIn(failed, 'fee')).toBe('Fee + FCFA 163')
    const { data: seen } = await callPublic(app, 'GET', `${path}/`)
    expect(seen.fee_charge_mode).toBe('ADD_ON')
    const mtn = seen.networks.find(({ code }: Json) => code === 'mtn_bj')
    expect([mtn.fee, mtn.total]).toEqual(['163.00', '5163.00'])
    // Elsewhere a new payment begins, for what is set now.
    const there = await callPublic(app, 'GET', `${path}/networks/?country=CI`)
    for (const { unavailable, total } of there.data.networks) {
      if (!unavailable) expect(total).toBe('5000.00')
    }
    await own.submit(failed, 'pay-form', { network: 'mtn_bj', phone: national('10') })
    const paid = await becomes(own, path, 'Payment successful')
    expect(textIn(paid, 'amount')).toBe('FCFA 5,163')
  })

  it('is tried again for the sum it was converted to, whatever the rate is since', async () => {
    const staff = await app.staff({ role: 'FINANCE' })
    const rateOf = async (rate: string) => {
      const { status } = await staff.post('/admin/exchange-rates/', {
        ...{ base: 'USD', quote: 'XOF', rate },
      })
      expect(status).toBe(201)
    }
    await rateOf('600')
    const session = await open({ country: 'BF', amount: '10', currency: 'USD' })
    const path = `/checkout/${session.slug}`
    const own = browser()
    const choose = await own.open(path)
    expect(textIn(choose, 'converted')).toBe('FCFA 6,000 at today’s rate')
    const dialled = textIn(choose, 'otp_orange_bf-hint')
    expect(dialled).toMatch(/^Dial \*144\*4\*6\*6\d\d\d# /)
    const filled = { network: 'orange_bf', phone: '76123401', otp_orange_bf: '123456' }
    await own.submit(choose, 'pay-form', filled)
    const failed = await becomes(own, path, 'The payment did not go through')
    await rateOf('500')
    const after = await own.open(path)
    expect(textIn(after, 'converted')).toBe('FCFA 6,000')
    // As the operator will be asked for it, and as the payer dials it.
    expect(textIn(after, 'pay')).toBe(textIn(failed, 'pay'))
    expect(textIn(after, 'otp_orange_bf-hint')).toBe(dialled)
    const again = await own.submit(after, 'pay-form', { ...filled, phone: '76123410' })
    expect(again.status).toBe(200)
    await becomes(own, path, 'Payment successful')
    const { data } = await shop.get(`/transactions/?checkout_session=${session.id}`)
    expect(data.results).toMatchObject([{ requested_amount: '6000.00' }])
  })

  it('names what paid it, and warns of a request that is still open', async () => {
    const session = await open({ country: 'BJ' })
    const path = `/checkout/${session.slug}`
    const own = browser()
    const choose = await own.open(path)
    const first = national('02')
    await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: first })
    const failed = await becomes(own, path, 'The payment did not go through')
    await own.submit(failed, 'pay-form', { network: 'moov_bj', phone: national('04') })
    await becomes(own, path, 'Confirm on your phone')
    const [attempt] = await app.owner<Json[]>`
      select a.id, a.our_key, a.external_reference, a.gateway_code
        from attempts a join checkout_sessions s on s.transaction_id = a.transaction_id
       where s.id = ${session.id} order by a.priority`
    expect((await succeedsLate(attempt)).status).toBe(200)
    const paid = await becomes(own, path, 'Payment successful')
    expect(textIn(paid, 'network')).toBe('MTN MoMo Bénin')
    expect(textIn(paid, 'number')?.replaceAll(' ', '').slice(-2)).toBe(first.slice(-2))
    expect(textIn(paid, 'beside')).toBe(
      'Another request for this payment may still be on a phone: do not approve it.',
    )
    expect(textIn(await browser('fr').open(path), 'beside')).toContain('ne l’approuvez pas')
  })

  it('of a number without an account says so at once', async () => {
    const session = await open({ country: 'BJ' })
    const own = browser()
    const choose = await own.open(`/checkout/${session.slug}`)
    const sent = await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: national('03') })
    expect(textIn(sent, 'reason')).toBe('This number has no account with the chosen network.')
  })

  it('whose answer is lost says that it is being checked, and then the truth', async () => {
    const session = await open({ country: 'BJ' })
    const own = browser()
    const choose = await own.open(`/checkout/${session.slug}`)
    const sent = await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: national('05') })
    expect(sent.text).toMatch(/We are checking your payment|Payment successful/)
    await becomes(own, `/checkout/${session.slug}`, 'Payment successful')
  })

  it('stays on the success page without a return_url', async () => {
    const session = await open({ country: 'BJ', return_url: '' })
    const own = browser()
    const choose = await own.open(`/checkout/${session.slug}`)
    await own.submit(choose, 'pay-form', { network: 'mtn_bj', phone: national('10') })
    const paid = await becomes(own, `/checkout/${session.slug}`, 'Payment successful')
    expect(tagOf(paid, 'return')).toBeUndefined()
    expect(paid.html).not.toMatch(/http-equiv|data-next/)
  })
})

describe('a network that wants a code first', () => {
  it('says what to dial, asks for the code beside it, and takes it', async () => {
    const session = await open({ country: 'CI' })
    const path = `/checkout/${session.slug}`
    const own = browser('fr')
    const choose = await own.open(path)
    const filled = { network: 'orange_ci', phone: '07 07 00 01 10' }
    expect(textIn(choose, 'otp_orange_ci-hint')).toBe(
      'Composez #144*82# et choisissez l’option 2 pour obtenir un code de paiement.',
    )
    const without = await own.submit(choose, 'pay-form', filled)
    expect(without.status).toBe(422)
    expect(textIn(without, 'otp_orange_ci-error')).toContain('Obtenez un code')
    expect(tagOf(without, 'otp_orange_ci')).toContain('aria-invalid="true"')
    expect(without.html).toContain('<a href="#otp_orange_ci">')
    expect(formOf(without, 'pay-form').fields).toMatchObject(filled)
    // What is asked for again by GET leads back to the page.
    expect((await own.open(`${path}/pay`)).at).toBe(path)

    const wrong = await own.submit(without, 'pay-form', { otp_orange_ci: '999999' })
    expect(wrong.text).toContain('Le code est incorrect ou expiré')
    const right = await own.submit(wrong, 'pay-form', { ...filled, otp_orange_ci: '123 456' })
    expect(right.status).toBe(200)
    await becomes(own, path, 'Paiement réussi')
  })
})

describe('a network that sends a code', () => {
  it('takes it on the page; a wrong one can be corrected', async () => {
    const session = await open({ country: 'SN' })
    const path = `/checkout/${session.slug}`
    const own = browser()
    const choose = await own.open(path)
    const filled = { network: 'wizall_sn', phone: '771234510' }
    const code = await own.submit(choose, 'pay-form', filled)
    expect(code.text).toContain('Enter the code you received')
    expect(textIn(code, 'otp-hint')).toBe('Enter the code received by SMS.')
    // Nothing takes the page away while they type.
    expect(code.html).not.toContain('http-equiv')
    const wrong = await own.submit(code, 'code-form', { otp: '111111' })
    expect(wrong.status).toBe(422)
    expect(textIn(wrong, 'otp-error')).toContain('wrong or has expired')
    const empty = await own.submit(wrong, 'code-form', { otp: '' })
    expect([empty.status, textIn(empty, 'otp-error')]).toEqual([422, expect.any(String)])
    await own.submit(empty, 'code-form', { otp: '123456' })
    const paid = await becomes(own, path, 'Payment successful')
    // From the tab that was left behind: the truth, and no error.
    expect((await own.submit(code, 'code-form', { otp: '123456' })).text).toContain('successful')
    expect(paid.text).not.toContain('771234510')
  })

  it('ends the payment at the fifth wrong one', async () => {
    const session = await open({ country: 'SN' })
    const own = browser()
    const choose = await own.open(`/checkout/${session.slug}`)
    let page = await own.submit(choose, 'pay-form', { network: 'wizall_sn', phone: '771234611' })
    for (let tries = 1; tries <= 5; tries += 1) {
      page = await own.submit(page, 'code-form', { otp: `00000${tries}` })
    }
    expect(page.text).toContain('The code was wrong or has expired. Get a new code and try again.')
    expect(tagOf(page, 'pay-form')).toBeDefined()
  })
})

describe('a network with a page of its own', () => {
  const leave = async (own: BrowserWithoutScript, phone: string) => {
    const session = await open({ country: 'SN' })
    const choose = await own.open(`/checkout/${session.slug}`)
    const hop = await own.submit(choose, 'pay-form', { network: 'wave_sn', phone })
    expect(hop.at).toBe(`/checkout/${session.slug}/go`)
    const [, address = ''] = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(hop.html) ?? []
    expect(address.startsWith(app.simulator.url)).toBe(true)
    expect(tagOf(hop, 'leave')).toContain(`href="${address}"`)
    return { address, path: `/checkout/${session.slug}` }
  }
  const decide = async (address: string, decision: string) => {
    const body = new URLSearchParams({ decision })
    const reply = await fetch(address, { method: 'POST', body, redirect: 'manual' })
    return reply.headers.get('location') ?? ''
  }

  it('is gone to, and comes back to the page that knows', async () => {
    const own = browser()
    const { address, path } = await leave(own, '771234710')
    // Whoever comes back to the address does not hop again.
    const waiting = await own.open(path)
    expect(waiting.text).toContain('Continue with Wave Sénégal')
    expect(waiting.html).not.toContain('content="0;url=')
    const back = await decide(address, 'approve')
    expect(back).toBe(`${app.url}${path}`)
    await becomes(own, path, 'Payment successful')
    expect((await own.open(`${path}/go`)).at).toBe(path)
  })

  it('that takes cards is called so, and no operator approves there', async () => {
    const own = browser()
    const session = await open({ currency: 'USD', amount: '100' })
    const choose = await own.open(`/checkout/${session.slug}?country=XX`)
    expect(choose.text).toContain('You enter your card on a secure payment page, never here.')
    const hop = await own.submit(choose, 'pay-form', { phone: '+2290197000010' })
    for (const page of [hop, await own.open(`/checkout/${session.slug}`)]) {
      expect(page.text).toContain('Continue on the card payment page')
      expect(page.text).toContain('You pay by card on that page, then come back here.')
      expect(page.text).not.toMatch(/Continue with|You approve/)
    }
  })

  it('may be refused there, and tried again here', async () => {
    const own = browser()
    const { address, path } = await leave(own, '771234812')
    await decide(address, 'refuse')
    const failed = await becomes(own, path, 'The payment did not go through')
    expect(tagOf(failed, 'pay-form')).toBeDefined()
  })
})

describe('what stands chosen', () => {
  it('is the session’s country, else that of its number, else the last choice here', async () => {
    const own = browser()
    const fields = async (changes: Record<string, unknown>) => {
      const page = await own.open(`/checkout/${(await open(changes)).slug}`)
      return tagOf(page, 'pay-form') === undefined ? {} : formOf(page, 'pay-form').fields
    }
    expect(await fields({})).toEqual({ country: '', phone: '' })
    expect(await fields({ country: 'CI', customer_phone: '+2290197000010' })).toMatchObject({
      country: 'CI',
    })
    expect(await fields({ country: 'FR', customer_phone: '00229 01 97 00 00 10' })).toMatchObject({
      country: 'BJ',
      phone: '',
    })
    const session = await open({ country: 'TG' })
    const page = await own.open(`/checkout/${session.slug}`)
    await own.submit(page, 'pay-form', { network: 'moov_tg', phone: '98123404' })
    expect(own.cookies.get('choice')).toBe('TG.moov_tg')
    expect(await fields({})).toMatchObject({ country: 'TG', network: 'moov_tg' })
  })

  it('is asked for by a form of its own where nothing tells', async () => {
    const session = await open()
    const own = browser('fr')
    const first = await own.open(`/checkout/${session.slug}`)
    expect(first.text).toContain('Choisissez votre pays')
    const then = await own.submit(first, 'pay-form', { country: 'CM', change: '1' })
    expect(then.text).toMatch(/Orange Money .*MTN MoMo/)
    expect(formOf(then, 'pay-form').fields['country']).toBe('CM')
  })

  it('may be the number of the session, which is not shown whole', async () => {
    const { phone } = newPayer('10')
    const session = await open({ country: 'BJ', customer_phone: phone })
    const own = browser()
    const page = await own.open(`/checkout/${session.slug}`)
    expect(page.text).toContain('Leave empty to keep 01')
    expect(page.html.replace(/\D/g, '')).not.toContain(phone.slice(4))
    await own.submit(page, 'pay-form', { network: 'mtn_bj' })
    await becomes(own, `/checkout/${session.slug}`, 'Payment successful')
  })
})

describe('a form with an error', () => {
  it('is shown again with what was typed and the error beside it', async () => {
    const session = await open({ country: 'BJ' })
    const own = browser()
    const page = await own.open(`/checkout/${session.slug}`)
    const no_phone = await own.submit(page, 'pay-form', { network: 'mtn_bj' })
    expect([no_phone.status, textIn(no_phone, 'phone-error')]).toEqual([
      422,
      'Enter the number you pay with.',
    ])
    expect(tagOf(no_phone, 'phone')).toContain('aria-describedby="phone-hint phone-error"')
    const odd = await own.submit(page, 'pay-form', { network: 'mtn_bj', phone: '"><b>12' })
    expect([odd.status, textIn(odd, 'phone-error')]).toEqual([
      422,
      'This is not a mobile number in Benin. Example: 01 95 12 34 56',
    ])
    expect(tagOf(odd, 'phone')).toContain('value="&quot;&gt;&lt;b&gt;12"')
    const none = await own.submit(page, 'pay-form', { phone: national('10') })
    expect([none.status, textIn(none, 'network-error')]).toEqual([422, 'Choose a network.'])
    const neither = await own.submit(page, 'pay-form', { phone: '01 23' })
    expect([neither.status, textIn(neither, 'network-error')]).toEqual([422, 'Choose a network.'])
    expect(textIn(neither, 'phone-error')).toContain('Example: 01 95 12 34 56')
    expect(neither.html.indexOf('href="#phone"')).toBeGreaterThan(0)
    expect(neither.html.indexOf('href="#network"')).toBeGreaterThan(neither.html.indexOf('#phone"'))
    const other = { network: 'mtn_ci', phone: national('10') }
    expect((await own.submit(page, 'pay-form', other)).status).toBe(422)
    const long = { network: 'mtn_bj', phone: '9'.repeat(60) }
    expect((await own.submit(page, 'pay-form', long)).status).toBe(422)
    const rows = await app.owner`
      select id from transactions where checkout_session = ${session.id}`
    expect(rows).toHaveLength(0)
  })
})
