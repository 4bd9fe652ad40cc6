// Whoever holds a receipt's token reads what was paid, and proves it without us; the merchant can
// withdraw it; it never says that all is well of a payment that was taken back.

import { createPublicKey, verify } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { rotateReceiptKey, signingKeyIn } from '../../src/receipts/signing-key.ts'
import { type Json, newPayer, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { BrowserWithoutScript, tagOf, textIn } from '../setup/browser-without-script.ts'
import { callPublic, openSession, paymentBody, sessionBecomes } from '../setup/payer-calls.ts'
import { textOf } from '../setup/pdf-text.ts'
import { plantIncident } from '../setup/transaction-rows.ts'

let app: TestApp
let shop: Shop
let nobody: Shop
beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  nobody = shopWith(app.url, '', '')
})
afterAll(() => app.stop())

async function paid(of = shop): Promise<string> {
  const { data } = await of.pay({ customer: newPayer('10'), merchant_reference: 'ORDER-1042' })
  await of.becomes(data.id, 'SUCCESS')
  return String(data.id)
}

/** The token in the invoice's address. */
async function tokenOf(id: string, url = app.url): Promise<string> {
  const reply = await fetch(`${url}/api/v1/transactions/${id}/invoice/`, {
    headers: { authorization: `Bearer ${shop.key}` },
  })
  const file = Buffer.from(await reply.arrayBuffer())
  expect(reply.status, file.toString()).toBe(200)
  const text = textOf(file)
  return /receipts\/([\w-]{22})/.exec(text)?.[1] ?? ''
}

/** The claims of a statement that a key of the list has signed; nothing of ours is asked. */
function proven(statement: string, keys: readonly Json[]): Json {
  const [head = '', claims = '', signature = ''] = statement.split('.')
  const read = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString())
  const jwk = keys.find(({ kid }) => kid === read(head).kid)
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  const holds = verify(null, signed, key, Buffer.from(signature, 'base64url'))
  return holds ? read(claims) : undefined
}

const headOf = (statement: string): Json =>
  JSON.parse(Buffer.from(statement.split('.')[0] ?? '', 'base64url').toString())

const keyring = () => openKeyring(app.config.secret_key ?? '')

const keysNow = async (): Promise<Json[]> => (await nobody.get('/receipts/keys/')).data.keys

describe('the address of a receipt', () => {
  const placeOf = (id: string, of = shop) => of.get(`/transactions/${id}/receipt/`)

  it('is answered by itself, the same as on the invoice and at each call', async () => {
    const id = await paid()
    const [one, ...others] = await Promise.all([placeOf(id), placeOf(id), placeOf(id)])
    expect(one).toMatchObject({
      status: 200,
      data: { transaction: id, status: 'ISSUED', revoked_at: null },
    })
    for (const other of others) expect(other.data).toEqual(one.data)
    expect(one.data.url).toBe(`${app.url}/receipts/${await tokenOf(id)}`)
    const page = await fetch(one.data.url)
    expect([page.status, (await page.text()).includes('ORDER-1042')]).toEqual([200, true])
  })

  it('says that its merchant has withdrawn it', async () => {
    const other = await app.shop()
    const id = await paid(other)
    const { data } = await other.post(`/transactions/${id}/receipt/revoke/`)
    expect((await placeOf(id, other)).data).toMatchObject({
      status: 'REVOKED',
      revoked_at: data.revoked_at,
    })
  })

  it('is not there of what is no payment that succeeded, nor for anybody else', async () => {
    const { data: failed } = await shop.pay({ customer: newPayer('03') })
    const refused = await placeOf(failed.id)
    expect([refused.status, refused.error.code]).toEqual([409, 'not_success'])
    const stranger = await app.shop()
    expect((await placeOf(await paid(), stranger)).error.code).toBe('permission_denied')
    expect((await placeOf('nonsense')).status).toBe(404)
  })
})

describe('a receipt', () => {
  it('shows these fields and no others', async () => {
    const id = await paid()
    const { data } = await nobody.get(`/receipts/${await tokenOf(id)}/`)
    const { data: transaction } = await shop.get(`/transactions/${id}/`)
    const { statement, merchant, ...shown } = data
    expect(merchant).toMatch(/^Shop /)
    expect(shown).toEqual({
      reference: transaction.reference,
      merchant_reference: 'ORDER-1042',
      operator_reference: transaction.external_reference,
      network: 'MTN MoMo Bénin',
      amount: transaction.requested_amount,
      charged: transaction.debited_amount,
      refunded: '0.00',
      currency: 'XOF',
      paid_at: transaction.status_logs.at(-1).created_at,
      status: 'SUCCESS',
      payer_last_digits: '10',
      environment: 'SANDBOX',
    })
    expect(statement).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  it('is proven offline by the published key, and a changed one is not', async () => {
    const { data } = await nobody.get(`/receipts/${await tokenOf(await paid())}/`)
    const keys = await keysNow()
    const { statement, ...shown } = data
    const claims = proven(statement, keys)
    expect(claims).toMatchObject({ ...shown, iss: app.url })
    expect(Math.abs(Date.now() / 1000 - claims.iat)).toBeLessThan(60)
    const [head, , signature] = statement.split('.')
    const more = Buffer.from(JSON.stringify({ ...claims, charged: '999999.00' }))
    const forged = `${head}.${more.toString('base64url')}.${signature}`
    expect(proven(forged, keys)).toBeUndefined()
  })

  it('is one, however many ask for it first', async () => {
    const id = await paid()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenOf(id)))
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).toMatch(/^[\w-]{22}$/)
    const kept = await app.owner`select 1 from receipt_tokens where transaction_id = ${id}`
    expect(kept.count).toBe(1)
  })

  it('is signed by one key, whichever process signs', async () => {
    const other = await app.another()
    const token = await tokenOf(await paid(), other.public_url)
    const there = shopWith(other.public_url, '', '')
    const { data } = await there.get(`/receipts/${token}/`)
    expect(proven(data.statement, await keysNow())).toBeDefined()
    const [kept] = await app.owner<{ count: number }[]>`
      select count(*)::int as count from receipt_keys`
    expect(kept?.count).toBe(1)
    await other.stop()
  })

  it('is signed by a new key when one is begun, and what the old one signed still holds', async () => {
    const address = `/receipts/${await tokenOf(await paid())}/`
    const before = (await nobody.get(address)).data.statement
    const { kid } = await rotateReceiptKey(app.service.db, keyring())
    // Published at once, by every process.
    const keys = await keysNow()
    expect(keys[0].kid).toBe(kid)
    expect(proven(before, keys)).toMatchObject({ iss: app.url })
    let now = Date.now()
    const signing = signingKeyIn({ db: app.service.db, keyring: keyring(), clock: () => now })
    const first = await signing()
    expect(first.kid).toBe(kid)
    const next = await rotateReceiptKey(app.service.db, keyring())
    now += 59_000
    expect((await signing()).kid).toBe(kid)
    now += 1_000
    expect((await signing()).kid).toBe(next.kid)
    const later = await app.another()
    const { data } = await shopWith(later.public_url, '', '').get(address)
    expect(headOf(data.statement)).toMatchObject({ kid: next.kid })
    expect(proven(data.statement, await keysNow())).toMatchObject({ iss: later.public_url })
    await later.stop()
  })

  it('is not found by a guess', async () => {
    for (const guess of ['x', 'A'.repeat(22), `${'A'.repeat(21)}!`, 'A'.repeat(200)]) {
      const { status, error } = await nobody.get(`/receipts/${encodeURIComponent(guess)}/`)
      expect({ guess, status, code: error.code }).toEqual({ guess, status: 404, code: 'not_found' })
    }
  })
})

describe('a payment that was taken back', () => {
  it('is shown as it stands, on the receipt, in its statement and on the invoice', async () => {
    const id = await paid()
    const token = await tokenOf(id)
    const key = { merchant_id: shop.merchant_id, id }
    const [attempt] = await app.owner<{ id: string }[]>`
      select id from attempts where transaction_id = ${id}`
    const incident = await plantIncident(
      app.owner,
      key,
      { merchant_id: shop.merchant_id, id: attempt?.id ?? '' },
      { type: 'REVERSED_AFTER_SUCCESS', status: 'OPEN', currency: 'XOF', country: 'BJ' },
    )
    const status = async () => {
      const { data } = await nobody.get(`/receipts/${token}/`)
      expect(proven(data.statement, await keysNow()).status).toBe(data.status)
      return data.status
    }
    expect(await status()).toBe('UNDER_REVIEW')
    await app.owner`
      update incidents
         set status = 'RESOLVED', resolution = 'CHARGE_MERCHANT', proposed_by = gen_random_uuid(),
             confirmed_by = gen_random_uuid(), resolved_at = now()
       where id = ${incident.id}`
    expect(await status()).toBe('REVERSED')
    await app.owner`update incidents set resolution = 'RECOVERED' where id = ${incident.id}`
    expect(await status()).toBe('SUCCESS')
  })

  const [charged, recovered] = ['CHARGE_MERCHANT', 'RECOVERED'] as const

  it.each([
    ['in parts', 'AMOUNT_MISMATCH', 400_000n, charged],
    ['again, after it was there after all', 'REVERSED_AFTER_SUCCESS', 0n, recovered],
  ] as const)('%s is shown as it stands, too', async (_how, type, part, decided) => {
    const id = await paid()
    const token = await tokenOf(id)
    const { merchant_id } = shop
    const [attempt] = await app.owner<{ id: string; debited_amount: bigint }[]>`
      select id, debited_amount from attempts where transaction_id = ${id}`
    if (attempt === undefined) throw new Error('no attempt')
    const whole = attempt.debited_amount
    const taken = (row: Record<string, unknown>) =>
      plantIncident(
        app.owner,
        { merchant_id, id },
        { merchant_id, id: attempt.id },
        { status: 'OPEN', suspense_side: 'DEBIT', currency: 'XOF', country: 'BJ', ...row },
      )
    const isDecided = (incident: { id: string }, resolution: string) => app.owner`
      update incidents
         set status = 'RESOLVED', resolution = ${resolution}, proposed_by = gen_random_uuid(),
             confirmed_by = gen_random_uuid(), resolved_at = now()
       where id = ${incident.id}`
    const status = async () => {
      const { data } = await nobody.get(`/receipts/${token}/`)
      expect(proven(data.statement, await keysNow()).status).toBe(data.status)
      return data.status
    }
    const one = await taken({ type, amount: part === 0n ? whole : part })
    expect(await status()).toBe('UNDER_REVIEW')
    await isDecided(one, decided)
    expect(await status()).toBe('SUCCESS')
    const rest = { type: 'AMOUNT_MISMATCH', amount: whole - part, follows: one.id }
    const other = await taken(rest)
    expect(await status()).toBe('UNDER_REVIEW')
    await isDecided(other, charged)
    expect(await status()).toBe('REVERSED')
    await isDecided(other, 'WRITE_OFF')
    expect(await status()).toBe('SUCCESS')
  })

  it('is shown as it stands on the page that it was paid on', async () => {
    const session = await openSession(shop, { country: 'BJ' })
    await callPublic(app, 'POST', `/checkout/${session.slug}/pay/`, paymentBody())
    const { transaction: id } = await sessionBecomes(shop, session.id, 'PAID')
    const page = () => new BrowserWithoutScript(app.url).open(`/checkout/${session.slug}`)
    const holds = async () => {
      const { text, html, headers } = await page()
      expect(headers.get('cache-control')).toBe('no-store')
      expect(text).toContain('Payment successful')
      expect(html).toContain('id="by-whatsapp"')
      expect(html).toContain('http-equiv="refresh"')
    }
    await holds()
    const [attempt] = await app.owner<{ id: string }[]>`
      select id from attempts where transaction_id = ${id}`
    const { merchant_id } = shop
    const incident = await plantIncident(
      app.owner,
      { merchant_id, id },
      { merchant_id, id: attempt?.id ?? '' },
      { type: 'REVERSED_AFTER_SUCCESS', status: 'OPEN', currency: 'XOF', country: 'BJ' },
    )
    const taken = async (title: string) => {
      const { text, html, status } = await page()
      expect(status).toBe(200)
      expect(text).toContain(title)
      expect(text).toContain('The operator has taken the money back')
      expect(text).not.toMatch(/Payment successful|paid to/)
      expect(html).toContain('<div class="done ended"')
      // Nothing to send on, and nobody is led to where a payer is thanked.
      expect(html).not.toMatch(/id="by-whatsapp"|http-equiv|data-next/)
      expect(html).toContain('id="receipt"')
    }
    await taken('This payment is being checked')
    await app.owner`
      update incidents
         set status = 'RESOLVED', resolution = 'CHARGE_MERCHANT', proposed_by = gen_random_uuid(),
             confirmed_by = gen_random_uuid(), resolved_at = now()
       where id = ${incident.id}`
    await taken('This payment was taken back by the operator')
    await app.owner`update incidents set resolution = 'RECOVERED' where id = ${incident.id}`
    await holds()
    const refund = (sum: number) => app.owner`
      update transactions set refund_reserved = ${sum}, refunded_amount = ${sum} where id = ${id}`
    await refund(200_000)
    expect(textIn(await page(), 'refunded')).toBe('FCFA 2,000')
    await refund(0)
    expect(tagOf(await page(), 'refunded')).toBeUndefined()
  })
})

describe('a withdrawn receipt', () => {
  it('is gone for good, with one line in the audit log', async () => {
    const id = await paid()
    const token = await tokenOf(id)
    const path = `/transactions/${id}/receipt/revoke/`
    const replies = await Promise.all(Array.from({ length: 20 }, () => shop.post(path)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(replies.map(({ data }) => data.revoked_at)).size).toBe(1)
    expect(replies[0]?.data.transaction).toBe(id)
    const { status, error } = await nobody.get(`/receipts/${token}/`)
    expect({ status, code: error.code }).toEqual({ status: 410, code: 'receipt_revoked' })
    // The invoice stays, and leads nowhere.
    expect(await tokenOf(id)).toBe('')
    const acts = await app.owner`
      select action, target_id from audit_logs
       where action = 'receipt.revoked' and merchant_id = ${shop.merchant_id}`
    expect(acts).toEqual([{ action: 'receipt.revoked', target_id: id }])
  })

  it('may never have been shown', async () => {
    const id = await paid()
    expect((await shop.post(`/transactions/${id}/receipt/revoke/`)).status).toBe(200)
    expect(await tokenOf(id)).toBe('')
  })

  it('is withdrawn by its merchant alone, and only where there is one', async () => {
    const id = await paid()
    const path = `/transactions/${id}/receipt/revoke/`
    const other = await app.shop()
    expect((await other.post(path)).error.code).toBe('permission_denied')
    const payout = await app.shop({ scope: 'PAYOUT', merchant_id: shop.merchant_id })
    expect((await payout.post(path)).error.code).toBe('api_key_scope_forbidden')
    const viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
    expect((await viewer.post(path)).error.code).toBe('permission_denied')
    expect((await shop.post('/transactions/nothing/receipt/revoke/')).status).toBe(404)
    const failed = await shop.pay({ customer: newPayer('03') })
    const refused = await shop.post(`/transactions/${failed.data.id}/receipt/revoke/`)
    expect({ status: refused.status, code: refused.error.code }).toEqual({
      status: 409,
      code: 'not_success',
    })
    expect((await nobody.get(`/receipts/${await tokenOf(id)}/`)).status).toBe(200)
  })
})

describe('the page of a receipt', () => {
  const page = (token: string, query = '', headers: Record<string, string> = {}) =>
    fetch(`${app.url}/receipts/${token}${query}`, { headers })

  it('says the same as the JSON in plain words, in either language, without a script', async () => {
    const token = await tokenOf(await paid())
    const { data } = await nobody.get(`/receipts/${token}/`)
    const french = await page(token, '', { 'accept-language': 'fr' })
    const [in_french, in_english] = [
      await french.text(),
      await (await page(token, '?lang=en', { 'accept-language': 'fr' })).text(),
    ]
    expect(french.status).toBe(200)
    expect(french.headers.get('cache-control')).toBe('no-store')
    expect(french.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(in_french).toContain('Ce reçu est authentique')
    expect(in_english).toContain('This receipt is genuine')
    for (const text of [in_french, in_english]) {
      for (const fact of [
        data.reference,
        data.merchant,
        data.paid_at,
        '<dd id="order">ORDER-1042</dd>',
        '<dd id="network">MTN MoMo Bénin</dd>',
      ])
        expect(text).toContain(fact)
      expect(text).toContain(`<dd id="amount"><data value="${data.amount}">`)
      expect(text).toContain(`<dd id="charged"><data value="${data.charged}">`)
    }
    expect(in_french).toContain('<dd id="payer">se termine par 10</dd>')
    expect(in_english).toContain('<dd id="payer">ends in 10</dd>')
    // As on the pages and the invoice; machines read the code in the statement.
    expect(in_french).toContain('>5\u00a0000\u00a0FCFA</data>')
    expect(in_english).toContain('>FCFA\u00a05,000</data>')
    const [, statement = ''] = /id="statement"[^>]*>([^<]+)</.exec(in_english) ?? []
    const claims = proven(statement, await keysNow())
    expect([claims.reference, claims.currency]).toEqual([data.reference, 'XOF'])
  })

  it('is small', async () => {
    const reply = await page(await tokenOf(await paid()), '', { 'accept-encoding': 'gzip' })
    expect(reply.headers.get('content-encoding')).toBe('gzip')
    expect(gzipSync(await reply.text()).length).toBeLessThan(8 * 1024)
  })

  it('tells an unknown receipt from a withdrawn one', async () => {
    const unknown = await page('A'.repeat(22))
    expect(unknown.status).toBe(404)
    expect(await unknown.text()).toContain('There is no such receipt')
    const id = await paid()
    const token = await tokenOf(id)
    await shop.post(`/transactions/${id}/receipt/revoke/`)
    const revoked = await page(token, '?lang=fr')
    expect(revoked.status).toBe(410)
    expect(await revoked.text()).toContain('Ce reçu a été retiré')
  })

  it('never shows a name as markup', async () => {
    const token = await tokenOf(await paid())
    const of = shop.merchant_id
    await app.owner`update merchants set brand_name = '<b>&"x' where id = ${of}`
    const text = await (await page(token)).text()
    await app.owner`update merchants set brand_name = '' where id = ${of}`
    expect(text).toContain('&lt;b&gt;&amp;&quot;x')
    expect(text).not.toContain('<b>&"')
  })
})

describe('readers', () => {
  it('are counted by their address', async () => {
    const { service } = app
    const narrow = await app.another({ LIMIT_PUBLIC_PER_IP_MINUTE: '3' })
    const anyone = shopWith(narrow.public_url, '', '')
    await service.db`delete from throttle_windows`
    const statuses: number[] = []
    for (let read = 1; read <= 5; read += 1) {
      statuses.push((await anyone.get('/receipts/keys/')).status)
    }
    // The minute may turn once while we ask.
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200])
    expect(statuses).toContain(429)
    await narrow.stop()
  })
})
