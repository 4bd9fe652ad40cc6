// SECRET_KEY is rotated while merchants repeat their calls: second place first, then first, then all
// is sealed again and the old key is dropped. A replay stays a replay, a counter goes on, and what
// was sealed opens.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCli } from '../../src/app/cli/command-line.ts'
import { sealedColumns, unusedColumns } from '../../src/app/sealed.ts'
import type { Service } from '../../src/app/start.ts'
import { macPurposes } from '../../src/app/wire.ts'
import { keyringWithMacKeys } from '../../src/platform/crypto/mac-keys.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { queueMail } from '../../src/platform/mail/queue-mail.ts'
import {
  eventually,
  newPayer,
  type Shop,
  type SignedInCaller,
  shopWith,
  softpay,
  startApp,
  type TestApp,
} from '../harness.ts'
import { type Authenticator, enrol } from '../setup/authenticator.ts'
import { databaseEnv } from '../setup/own-process.ts'
import { textOf } from '../setup/pdf-text.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const fresh = () => randomBytes(32).toString('base64')
const second = fresh()
let first: string
const narrow = { LIMIT_PHONE_PROMPTS_10MIN: '3', LIMIT_PHONE_PROMPTS_DAY: '100' }
let app: TestApp
let shop: Shop
let receiver: Receiver
let last: Service

beforeAll(async () => {
  app = await startApp({ env: narrow })
  first = app.config.secret_key ?? ''
  shop = await app.shop()
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await app.stop()
})

const at = ({ public_url }: Service): Shop => shopWith(public_url, shop.merchant_id, shop.key)

async function secrets(key: string, ...words: string[]) {
  const { options } = app.database
  const env = { ...databaseEnv(options), SECRET_KEY: key, DATA_DIR: app.config.data_dir }
  const lines: string[] = []
  const out = (line: string) => void lines.push(line)
  // The driver reads where the socket is from the process's own environment.
  const restore = { ...process.env }
  Object.assign(process.env, env)
  try {
    const code = await runCli(['secrets', ...words], { env, out, err: out })
    return { code, said: lines.join('\n') }
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, restore)
  }
}

/** The token in the invoice's address. */
async function tokenOf(id: string): Promise<string> {
  const headers = { authorization: `Bearer ${shop.key}` }
  const reply = await fetch(`${app.url}/api/v1/transactions/${id}/invoice/`, { headers })
  const text = textOf(Buffer.from(await reply.arrayBuffer()))
  return /receipts\/([\w-]{22})/.exec(text)?.[1] ?? ''
}

describe('a rotation', () => {
  const phone = newPayer('10')
  const bodies = Array.from({ length: 4 }, () => softpay({ customer: newPayer() }))
  const answers: string[] = []
  let authenticator: Authenticator
  let webhook_id: string
  let receipt: string
  let owner: SignedInCaller
  let document_id: string
  const document = Buffer.from('%PDF-1.7\nAwa Diop, passport 07 AB 12345')

  const replay = async (service: Service, n: number) => {
    const reply = await at(service).post('/payments/softpay/initialize/', bodies[n], {
      'idempotency-key': `rotated-${n}`,
    })
    return { status: reply.status, body: JSON.stringify(reply.body) }
  }
  const assertReplays = async (service: Service) => {
    for (const n of bodies.keys()) {
      expect(await replay(service, n)).toEqual({ status: 201, body: answers[n] })
    }
  }

  it('begins with payments, a webhook, a second factor, a receipt and a letter', async () => {
    for (const n of bodies.keys()) answers.push((await replay(app.service, n)).body)
    const made = await shop.post('/merchant-webhooks/', {
      url: receiver.url,
      events: ['transaction.success'],
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    webhook_id = made.data.id
    const member = await app.member({ merchant_id: shop.merchant_id })
    authenticator = await enrol(app, member)
    owner = member
    const uploaded = await member.call('POST', '/kyc/documents/?kind=TAX&file_name=tax.pdf', {
      body: new Uint8Array(document),
      headers: { 'content-type': 'application/pdf' },
    })
    expect(uploaded.status, JSON.stringify(uploaded.body)).toBe(201)
    document_id = uploaded.data.id
    const paid = await shop.pay({ customer: newPayer() })
    await shop.becomes(paid.data.id, 'SUCCESS')
    receipt = await tokenOf(paid.data.id)
    expect((await shop.get(`/receipts/${receipt}/`)).status).toBe(200)
    await queueMail(app.owner, openKeyring(first), {
      to: 'awa@example.com',
      subject: 'Later',
      text: 'x',
      locale: 'en',
    })
    await app.owner`update mail_outbox set due_at = now() + interval '1 day'`
    // Two of three prompts of this phone are used.
    for (const _ of [1, 2]) expect((await shop.pay({ customer: phone })).status).toBe(201)
  })

  it('goes on under load: each process knows both keys before one of them seals anew', async () => {
    let stop = false
    let replays = 0
    const services: Service[] = [app.service]
    const load = (async () => {
      while (!stop) {
        for (const service of services) {
          await assertReplays(service)
          replays += bodies.length
        }
      }
    })()
    const knowing = await app.another({ SECRET_KEY: `${first},${second}` })
    services.push(knowing)
    const sealing = await app.another({ SECRET_KEY: `${second},${first}` })
    services.push(sealing)
    // A key first used at one process is replayed at every other, old and new.
    const body = softpay({ customer: newPayer() })
    const headers = { 'idempotency-key': 'between' }
    const made = await at(sealing).post('/payments/softpay/initialize/', body, headers)
    expect(made.status).toBe(201)
    for (const service of [app.service, knowing]) {
      const again = await at(service).post('/payments/softpay/initialize/', body, headers)
      expect(again.body).toEqual(made.body)
    }
    // The third prompt is the last, whoever counts.
    expect((await at(sealing).pay({ customer: phone })).status).toBe(201)
    for (const service of services) {
      expect((await at(service).pay({ customer: phone })).status).toBe(429)
    }
    await eventually(async () => expect(replays).toBeGreaterThan(12))
    stop = true
    await load
    // Who knows the old key alone could open nothing of what is sealed from here on.
    await app.service.stop()
    await knowing.stop()
  })

  it('counts what is left, seals it again, and then nothing is', async () => {
    const both = `${second},${first}`
    const before = await secrets(both, 'reseal', '--check')
    expect(before.code).toBe(1)
    expect(before.said).toMatch(/webhooks\.sealed_secret: 0 re-encrypted, 1 left/)
    expect(before.said).toMatch(/keep it in SECRET_KEY/)
    const done = await secrets(both, 'reseal')
    expect(done, done.said).toMatchObject({ code: 0 })
    for (const what of ['webhooks.sealed_secret', 'people.sealed_totp', 'receipts.sealed_token']) {
      expect(done.said).toMatch(new RegExp(`${what}: 1 re-encrypted, 0 left`))
    }
    expect(done.said).toMatch(/mail_outbox.sealed: [12] re-encrypted, 0 left/)
    expect(done.said).toMatch(/files of kyc_documents: 1 re-encrypted, 0 left/)
    expect(done.said).toMatch(/can remove it/)
    const again = await secrets(both, 'reseal')
    expect(again.said).not.toMatch(/ [1-9]\d* re-encrypted/)
    expect(await secrets(second, 'reseal', '--check')).toMatchObject({ code: 0 })
  })

  it('ends without the old key: replays, codes, receipts, webhooks and callbacks go on', async () => {
    const service = await app.another({ SECRET_KEY: second })
    last = service
    await assertReplays(service)
    expect((await at(service).pay({ customer: phone })).status).toBe(429)
    const mails = await app.owner<{ id: string; sealed: Buffer }[]>`
      select id, sealed from mail_outbox`
    const keyring = openKeyring(second)
    const emails = mails.map(({ id, sealed }) => keyring.unseal(sealed, `mail_outbox:${id}:sealed`))
    expect(emails.join()).toMatch(/Later/)
    expect((await at(service).get(`/receipts/${receipt}/`)).status).toBe(200)
    const paid = await at(service).pay({ customer: newPayer() })
    await at(service).becomes(paid.data.id, 'SUCCESS')
    await eventually(async () => {
      expect(receiver.received.map(({ body }) => body.data.id)).toContain(paid.data.id)
    })
    expect(webhook_id).toBeTruthy()
    const file = await fetch(`${service.public_url}/api/v1/kyc/documents/${document_id}/file/`, {
      headers: { authorization: `Bearer ${owner.key}`, 'x-merchant': owner.merchant_id },
    })
    expect(Buffer.from(await file.arrayBuffer())).toEqual(document)
    const macs = await keyringWithMacKeys(service.db, keyring, macPurposes)
    const [code = ''] = authenticator.recovery_codes
    const [row] = await app.owner<{ person_id: string }[]>`
      select person_id from recovery_codes limit 1`
    const plain = code.replaceAll('-', '')
    const rows = await app.owner<{ hash: Buffer }[]>`select hash from recovery_codes`
    const matching = rows.filter(({ hash }) =>
      macs.macMatches('recovery-code', `${row?.person_id} ${plain}`, hash),
    )
    expect(matching).toHaveLength(1)
  })
})

describe('the keys of MACs', () => {
  it('are renewed after a wait, believed until they are dropped', async () => {
    const { db } = last
    const keyring = openKeyring(second)
    const before = (await keyringWithMacKeys(db, keyring, macPurposes)).mac('callback-address', 'x')
    expect(await secrets(second, 'renew-macs', '--after-minutes', '60')).toMatchObject({ code: 0 })
    expect(
      (await keyringWithMacKeys(db, keyring, macPurposes)).mac('callback-address', 'x'),
    ).toEqual(before)
    expect((await secrets(second, 'drop-macs')).said).toMatch(/^0 old keys dropped/)
    await app.owner`
      update mac_keys
         set signs_from = now() - interval '40 days', created_at = now() - interval '41 days'
       where number > 1`
    const renewed = await keyringWithMacKeys(db, keyring, macPurposes)
    const now = renewed.mac('callback-address', 'x')
    expect(now).not.toEqual(before)
    expect(renewed.macMatches('callback-address', 'x', before)).toBe(true)
    expect(await secrets(second, 'drop-macs')).toMatchObject({ code: 0 })
    const after = await keyringWithMacKeys(db, keyring, macPurposes)
    expect(after.macMatches('callback-address', 'x', before)).toBe(false)
    expect(after.macMatches('callback-address', 'x', now)).toBe(true)
  })

  it('are not opened by a wrong SECRET_KEY, which is told', async () => {
    await expect(keyringWithMacKeys(last.db, openKeyring(fresh()), macPurposes)).rejects.toThrow(
      /does not list/,
    )
  })
})

describe('the list of what is sealed', () => {
  it('has every sealed column of the schema', async () => {
    const found = await app.owner<{ name: string }[]>`
      select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and data_type = 'bytea' and column_name like '%sealed%'
         and table_name not in (select relname from pg_class where relispartition)
       order by 1`
    const listed = [...sealedColumns, ...unusedColumns].map(
      ({ table, column }) => `${table}.${column}`,
    )
    expect(listed.toSorted()).toEqual(found.map(({ name }) => name))
  })
})
