// An operator that accepts a payment first and makes the payer's page afterwards: the payer reaches
// it with the first answer, by a question, or because a callback said that it is there.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Pawapay, startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { queryAttempt } from '../../src/attempts/query-attempt.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { pawapayAdapter } from '../../src/gateways/pawapay/pawapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { attributeOf, BrowserWithoutScript, tagOf } from '../setup/browser-without-script.ts'
import { pawapayAccount } from '../setup/pawapay-account.ts'
import { openSession, sessionBecomes } from '../setup/payer-calls.ts'
import {
  byRedirect,
  openPaymentFixture,
  type PaymentFixture,
  refusedBy,
} from '../setup/scripted-operator.ts'

const soon: Answer = { is: 'waiting', external_reference: 'OP-1', next: 'page_soon' }
const at = (redirect_to: string): Answer => ({ ...soon, next: { redirect_to } })

describe('a page that is not there yet', () => {
  let fixture: PaymentFixture
  beforeAll(async () => {
    fixture = await openPaymentFixture()
  })
  afterAll(() => fixture?.stop())

  const begin = async (first: Answer) => {
    fixture.one.script.collect.push(first)
    const { status, body } = await fixture.call('initialize', { body: byRedirect })
    const [attempt] = await fixture.attemptsOf(body.id)
    return { status, body, attempt }
  }

  async function ask(id: string, answer: Answer): Promise<Json> {
    fixture.one.script.ask.push(answer)
    const [attempt] = await fixture.attemptsOf(id)
    await fixture.owner`
      update attempts set asked_at = null, leased_until = null where id = ${attempt.id}`
    const key = { ...fixture.caller, id: attempt.id }
    await queryAttempt(fixture.deps, key, { triggered_by: 'POLLER', request_id: 'test' })
    const [asked] = await fixture.attemptsOf(id)
    return asked
  }

  it('is answered as a redirect without an address, and is asked for soon', async () => {
    const { status, body, attempt } = await begin(soon)
    expect(status).toBe(201)
    expect(body).toMatchObject({ status: 'PENDING', next_action: 'REDIRECT', checkout_url: '' })
    const due_ms = attempt.due_at.getTime() - Date.now()
    expect(due_ms).toBeLessThanOrEqual(2_000)
    const asked = await ask(body.id, soon)
    expect(asked).toMatchObject({ next_action: 'REDIRECT', checkout_url: '', status: 'PENDING' })
    expect(asked.due_at.getTime() - Date.now()).toBeLessThanOrEqual(2_000)
  })

  it('is shown once an answer has it, and another one in its place', async () => {
    const { body } = await begin(soon)
    for (const page of ['https://pay.example/a', 'https://pay.example/b']) {
      expect(await ask(body.id, at(page))).toMatchObject({ checkout_url: page })
      // An answer that shows no page takes none away.
      const verified = await fixture.call('verify', { id: body.id })
      expect(verified.body).toMatchObject({ checkout_url: page })
    }
    // The same once more is no news: nothing is written of it but the question.
    const [before] = await fixture.owner`select updated_at from transactions where id = ${body.id}`
    await ask(body.id, at('https://pay.example/b'))
    const [after] = await fixture.owner`select updated_at from transactions where id = ${body.id}`
    expect(after).toEqual(before)
  })

  it('is told of in the answers of verify and of a retry too', async () => {
    const { body } = await begin(refusedBy('payer'))
    expect(body.status).toBe('FAILED')
    fixture.one.script.collect.push(soon)
    const to_come = { status: 'PENDING', next_action: 'REDIRECT', checkout_url: '' }
    const retried = await fixture.call('retry', { id: body.id })
    expect([retried.status, retried.body]).toMatchObject([200, to_come])
    expect(retried.body.instructions).not.toBe('')
    fixture.one.script.ask.push(soon, at('https://pay.example/c'))
    for (const page of ['', 'https://pay.example/c']) {
      await fixture.owner`
        update attempts set asked_at = null, leased_until = null where transaction_id = ${body.id}`
      const verified = await fixture.call('verify', { id: body.id })
      expect(verified.body).toMatchObject({ ...to_come, checkout_url: page })
    }
  })

  it('that turns out not to be needed leaves the payer to the phone', async () => {
    const { body } = await begin(soon)
    const asked = await ask(body.id, { ...soon, next: 'payer' })
    expect(asked).toMatchObject({ next_action: 'APPROVE_ON_PHONE', checkout_url: '' })
  })

  it('does not come back for a payment that has ended', async () => {
    const { body } = await begin(soon)
    const paid = { is: 'confirmed', external_reference: 'OP-1', currency: 'XOF' } as const
    const [attempt] = await fixture.attemptsOf(body.id)
    await ask(body.id, { ...paid, amount: BigInt(attempt.debited_amount) })
    const asked = await ask(body.id, at('https://pay.example/late'))
    expect(asked).toMatchObject({ status: 'SUCCESS', checkout_url: '' })
  })
})

describe('over an operator that does so', () => {
  const code = 'pawapay_sandbox'
  let app: TestApp
  let pawapay: Pawapay
  let shop: Shop

  beforeAll(async () => {
    app = await startApp()
    pawapay = await startPawapay({ port: 0, speed: 4 })
    pawapay.setCallbacks({ deposits: `${app.url}/callbacks/${code}` })
    shop = await app.shop()
    const staff = await app.staff({ role: 'OPERATIONS' })
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    const { settings, secrets } = pawapayAccount(pawapay)
    const account = await addAccount(deps, pawapayAdapter, {
      ...{ code, name: 'pawaPay', environment: 'SANDBOX', country: 'CI', settings, secrets },
    })
    await switchAccount(deps, account, { is_active: true, why: 'a story' })
    const route = { network: 'wave_ci', gateway: code, direction: 'COLLECT', priority: 9 }
    expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  }, 60_000)
  afterAll(async () => {
    await app?.stop()
    await pawapay?.stop()
  })

  // Below ten the last digits would choose what happens.
  let payers = 10
  function pay() {
    payers += 1
    const phone = `+22507070${String(payers).padStart(5, '0')}`
    const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop', phone }
    return shop.pay({
      ...{ country: 'CI', network: 'wave_ci', customer, preferred_gateway: code },
    })
  }

  async function decide(page: string, outcome: 'pay' | 'refuse'): Promise<void> {
    const body = new URLSearchParams({ outcome })
    await fetch(page, { method: 'POST', body, redirect: 'manual' })
  }

  it('the payer has the page with the first answer where it is made at once', async () => {
    const { data } = await pay()
    expect(data).toMatchObject({ status: 'PENDING', next_action: 'REDIRECT' })
    expect(data.checkout_url).toMatch(/\/authorize\//)
    await decide(data.checkout_url, 'pay')
    await shop.becomes(data.id, 'SUCCESS')
    const refused = await pay()
    await decide(refused.data.checkout_url, 'refuse')
    const ended = await shop.becomes(refused.data.id, 'FAILED')
    expect(ended).toMatchObject({ failure_code: 'NOT_APPROVED' })
  })

  it('the payer reaches a page that takes longer, and is charged once', async () => {
    pawapay.delayPages(true)
    const { data } = await pay()
    expect(data).toMatchObject({ status: 'PENDING', next_action: 'REDIRECT', checkout_url: '' })
    pawapay.delayPages(false)
    const page = await eventually(async () => {
      const verified = await shop.get(`/payments/${data.id}/verify/`)
      expect(verified.data.checkout_url).toMatch(/\/authorize\//)
      return verified.data.checkout_url
    }, 40_000)
    await decide(page, 'pay')
    await shop.becomes(data.id, 'SUCCESS', 40_000)
    const paid = pawapay.books().filter(({ status }) => status === 'COMPLETED')
    expect(paid.filter(({ id }) => page.endsWith(id))).toHaveLength(1)
  }, 90_000)

  it('a page of ours that waits for it hears that it is there, and not where', async () => {
    const staff = await app.staff({ role: 'OPERATIONS' })
    const { data } = await staff.get('/admin/routes/?network=wave_ci&direction=COLLECT')
    for (const route of data.results) {
      if (route.gateway_code === code) continue
      await staff.call('PATCH', `/admin/routes/${route.id}/`, {
        body: JSON.stringify({ is_active: false }),
        headers: { 'content-type': 'application/json' },
      })
    }
    pawapay.delayPages(true)
    const { id, slug } = await openSession(shop, { country: 'CI' })
    const own = new BrowserWithoutScript(app.url)
    const choose = await own.open(`/checkout/${slug}`)
    payers += 1
    const phone = `07070${String(payers).padStart(5, '0')}`
    const waiting = await own.submit(choose, 'pay-form', { network: 'wave_ci', phone })
    expect([waiting.at, tagOf(waiting, 'leave')]).toEqual([`/checkout/${slug}`, undefined])
    const [, state = ''] = /data-state="([^"]*)"/.exec(waiting.html) ?? []
    expect(state).toMatch(/^PENDING PENDING REDIRECT/)
    const gone = new AbortController()
    const live = await fetch(`${app.url}/checkout/${slug}/live`, { signal: gone.signal })
    const words: string[] = []
    const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader()
    const heard = (async () => {
      for (;;) {
        const part = await reader?.read()
        if (part === undefined || part.done) return
        words.push(...[...part.value.matchAll(/data: (.*)/g)].map(([, word = '']) => word))
      }
    })().catch(() => undefined)
    await eventually(async () => expect(words).toEqual([state]))
    pawapay.delayPages(false)
    await eventually(async () => expect(words).toHaveLength(2))
    expect(words[1]).toMatch(/^PENDING PENDING REDIRECT [\w-]{8}$/)
    expect(words[1]).not.toBe(state)
    gone.abort()
    await heard
    const there = await own.open(`/checkout/${slug}`)
    expect(there.html).toContain(`data-state="${words[1]}"`)
    const page = attributeOf(tagOf(there, 'leave') ?? '', 'href') ?? ''
    await decide(page, 'pay')
    await sessionBecomes(shop, id, 'PAID')
  }, 90_000)
})
