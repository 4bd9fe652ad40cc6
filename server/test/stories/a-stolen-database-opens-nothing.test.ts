// Whoever steals a copy of the database has no key, token, secret or password that works: every
// secret that was just handed out is looked for in every table, in each form it could stand in.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { receiptOf } from '../../src/receipts/receipt-of.ts'
import { signingKeyIn } from '../../src/receipts/signing-key.ts'
import { type Json, shopWith, startApp, type TestApp } from '../harness.ts'
import { plantTransaction } from '../setup/transaction-rows.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const password = 'no dump shows this pass phrase'

/** Every row of every table as text; bytes as hex. */
async function dump(): Promise<string> {
  const { owner } = app
  const tables = await owner<{ name: string }[]>`
    select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition`
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await owner<{ text: string }[]>`select t::text as text from ${owner(name)} t`
    texts.push(...rows.map(({ text }) => text))
  }
  return texts.join('\n').toLowerCase()
}

/** The secret as it is, in hex, in base64, and hashed without salt where it could be guessed. */
function formsOf(secret: string, guessable: boolean): string[] {
  const bytes = Buffer.from(secret)
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'].map((name) =>
    createHash(name).update(bytes).digest(),
  )
  const forms = [bytes, ...(guessable ? hashes : [])]
  return [
    secret,
    ...forms.flatMap((form) => [
      form.toString('hex'),
      form.toString('base64').replace(/=+$/, ''),
      form.toString('base64url'),
    ]),
  ].map((form) => form.toLowerCase())
}

/** The token behind `#` in each letter that waits or lies in the outbox. */
async function emailTokens(): Promise<string[]> {
  const keyring = openKeyring(app.config.secret_key ?? '')
  const rows = await app.owner<{ id: string; sealed: Buffer }[]>`
    select id, sealed from mail_outbox`
  return rows.flatMap(({ id, sealed }) => {
    const mail: Json = JSON.parse(keyring.unseal(sealed, `mail_outbox:${id}:sealed`))
    return [...String(mail.text).matchAll(/#(\S+)/g)].map(([, token = '']) => token)
  })
}

/** A receipt's token, and the private key that signs receipts, in the forms they are not text in. */
async function receiptSecrets(merchant_id: string): Promise<Record<string, string>> {
  const { owner, service, config } = app
  const keyring = openKeyring(config.secret_key ?? '')
  const paid = await plantTransaction(owner, merchant_id, { status: 'SUCCESS' })
  const { url } = await receiptOf({ db: owner, keyring, public_url: '' }, paid)
  const token = url.replace('/receipts/', '')
  const { key } = await signingKeyIn({ db: service.db, keyring, clock: Date.now })()
  const { d = '' } = key.export({ format: 'jwk' })
  const pem = key.export({ format: 'pem', type: 'pkcs8' }).toString().split('\n')[1] ?? ''
  const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex')
  return {
    'a receipt’s token': token,
    'a receipt’s token as bytes': hex(token),
    'the key of receipts': d,
    'the key of receipts as bytes': hex(d),
    'the key of receipts as PEM': pem,
  }
}

describe('a stolen database', () => {
  it('holds no secret that was handed out, and no hash of one that could be guessed', async () => {
    const nobody = shopWith(app.url, '', '')
    // No worker may send the letters away while they are looked for.
    const registered = await nobody.post('/auth/register/', {
      merchant_name: 'Boutique',
      country: 'SN',
      email: 'dump@shop.example',
      password,
      first_name: 'Awa',
      last_name: 'Diop',
    })
    expect(registered.status).toBe(201)
    const tokens = await emailTokens()
    const login = await nobody.post('/auth/login/', { email: 'dump@shop.example', password })
    const session = String(login.data.token)
    const merchant_id = String(login.data.merchants[0].id)
    const as = shopWith(app.url, merchant_id, session)
    const enrolled = await as.post('/auth/totp/enrol/', { password })
    const made = await as.post('/merchant-api-keys/', { name: 'dump', environment: 'SANDBOX' })
    const rotated = await as.post(`/merchant-api-keys/${made.data?.id}/rotate/`, {})
    const webhook = await as.post('/merchant-webhooks/', { url: 'https://hooks.example.com/dump' })
    const secrets: Readonly<Record<string, string>> = {
      ...(await receiptSecrets(merchant_id)),
      'the session of the registration': registered.data.token,
      'the session of the login': session,
      'an API key': made.data?.secret,
      'a rotated API key': rotated.data?.secret,
      'a webhook’s secret': webhook.data.signing_secret,
      'the seed of the second factor': enrolled.data?.secret,
      ...Object.fromEntries(tokens.map((token, at) => [`a letter’s token ${at + 1}`, token])),
    }
    const text = await dump()
    expect(text).toContain('dump@shop.example')
    for (const [name, secret] of Object.entries(secrets)) {
      expect(typeof secret, name).toBe('string')
      const found = formsOf(secret, false).filter((form) => text.includes(form))
      expect(found, name).toEqual([])
    }
    expect(formsOf(password, true).filter((form) => text.includes(form))).toEqual([])
  })

  it('would be found out if it held one', async () => {
    const { owner } = app
    const secret = 'sk_test_planted-in-a-table-where-it-does-not-belong0'
    await owner`update merchants set suspended_reason = ${secret} where not is_house`
    const text = await dump()
    expect(formsOf(secret, false).some((form) => text.includes(form))).toBe(true)
    await owner`update merchants set suspended_reason = '' where not is_house`
  })
})
