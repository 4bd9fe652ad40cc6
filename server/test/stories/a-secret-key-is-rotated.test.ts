// SECRET_KEY is rotated while merchants repeat their calls: second place first, then first, then all
// is sealed again and the old key is dropped. A replay stays a replay, a counter goes on, and what
// was sealed opens.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCli } from '../../src/app/cli/command-line.ts'
import { sealedColumns, unusedColumns } from '../../src/app/sealed.ts'
import type { Service } from '../../src/app/start.ts'
import { macPurposes, simulatorSecrets } from '../../src/app/wire.ts'
import { keyringWithMacKeys } from '../../src/platform/crypto/mac-keys.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { cursorSecretOf, readCursor, signCursor } from '../../src/platform/http/pages.ts'
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
import { richSettler } from '../setup/settling.ts'
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

const secrets = (key: string, ...words: string[]) => secretsAt(app.config.data_dir, key, ...words)

async function secretsAt(data_dir: string, key: string, ...words: string[]) {
  const { options } = app.database
  const env = { ...databaseEnv(options), SECRET_KEY: key, DATA_DIR: data_dir }
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

/** A settlement by bank whose proof was handed in twice: the log names the first file. */
async function settlementProvenTwice(): Promise<void> {
  const settler = await richSettler(app)
  const { data } = await settler.settle('bank')
  const staff = await app.staff({ role: 'FINANCE' })
  await staff.post(`/admin/settlements/${data.id}/approve/`)
  for (const text of ['%PDF-1.7 the first', '%PDF-1.7 the second']) {
    const handed = await staff.call('POST', `/admin/settlements/${data.id}/proof/`, {
      headers: { 'content-type': 'application/pdf' },
      body: new Uint8Array(Buffer.from(text)),
    })
    expect(handed.status, JSON.stringify(handed.body)).toBe(200)
  }
  // What stands there for their second factor is sealed under no key.
  await app.owner`
    update people set totp_enrolled_at = null, sealed_totp = null where id = ${staff.person_id}`
}

/**
 * As when the time of a rotation ends between the two columns of a run: what was sealed under the
 * old key moves from the second to the first.
 */
const movesMeanwhile = () =>
  app.owner.unsafe(`
    create function next_is_secret() returns trigger language plpgsql as $$
      begin new.sealed_secret := old.sealed_next_secret; return new; end $$;
    create trigger next_is_secret before update of sealed_next_secret on webhooks
      for each row execute function next_is_secret()`)

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
    await settlementProvenTwice()
    const rotated = await shop.post(`/merchant-webhooks/${webhook_id}/rotate-secret/`, {})
    expect(rotated.status, JSON.stringify(rotated.body)).toBe(200)
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
    expect(before.said).toMatch(/files of settlements: 0 re-encrypted, 2 left/)
    expect(before.said).toMatch(/keep it in SECRET_KEY/)
    await movesMeanwhile()
    const first_run = await secrets(both, 'reseal')
    expect(first_run, first_run.said).toMatchObject({ code: 1 })
    expect(first_run.said).toMatch(/webhooks.sealed_secret: 1 re-encrypted, 1 left/)
    for (const what of ['people.sealed_totp', 'receipts.sealed_token', 'files of kyc_documents']) {
      expect(first_run.said).toMatch(new RegExp(`${what}: 1 re-encrypted, 0 left`))
    }
    expect(first_run.said).toMatch(/mail_outbox.sealed: [12] re-encrypted, 0 left/)
    expect(first_run.said).toMatch(/files of settlements: 2 re-encrypted, 0 left/)
    await app.owner.unsafe('drop function next_is_secret() cascade')
    const done = await secrets(both, 'reseal')
    expect(done, done.said).toMatchObject({ code: 0 })
    expect(done.said).toMatch(/webhooks.sealed_secret: 1 re-encrypted, 0 left/)
    expect(done.said).toMatch(/can remove it/)
    const again = await secrets(both, 'reseal')
    expect(again.said).not.toMatch(/ [1-9]\d* re-encrypted/)
    expect(await secrets(second, 'reseal', '--check')).toMatchObject({ code: 0 })
    const elsewhere = await secretsAt(`${app.config.data_dir}/elsewhere`, second, 'reseal')
    expect(elsewhere.code, 'files that it has not seen').toBe(1)
    expect(elsewhere.said).toMatch(
      /kyc_documents: 0 re-encrypted, 1 left\n {2}1 of these not found/,
    )
    expect(elsewhere.said).toMatch(/settlements: 0 re-encrypted, 2 left\n {2}2 of these not found/)
    expect(elsewhere.said).not.toMatch(/can remove it/)
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
    const former = await keyringWithMacKeys(db, keyring, macPurposes)
    const before = former.mac('callback-address', 'x')
    const followed = await at(last).get('/events/?page_size=1')
    const listed = await at(last).get('/transactions/?page_size=1')
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
    // A process that was started since knows what one of before has signed, of lists as well.
    expect(simulatorSecrets(renewed)).toEqual(simulatorSecrets(former))
    const young = await app.another({ SECRET_KEY: second })
    for (const link of [followed.data.follow, followed.data.next, listed.data.next]) {
      const { pathname, search } = new URL(link)
      const reply = await at(young).get(`${pathname.replace('/api/v1', '')}${search}`)
      expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    }
    await young.stop()
    expect(renewed.macMatches('callback-address', 'x', before)).toBe(true)
    expect(await secrets(second, 'drop-macs')).toMatchObject({ code: 0 })
    const after = await keyringWithMacKeys(db, keyring, macPurposes)
    expect(after.macMatches('callback-address', 'x', before)).toBe(false)
    expect(after.macMatches('callback-address', 'x', now)).toBe(true)
  })

  it('sign the cursors of lists from when they begin, in a process that runs already', async () => {
    const { db } = last
    expect(await secrets(second, 'renew-macs', '--after-minutes', '60')).toMatchObject({ code: 0 })
    const keyring = await keyringWithMacKeys(db, openKeyring(second), macPurposes)
    const secret = cursorSecretOf(keyring, 'v1')
    const cursor = { dir: 'next', created_at: '', id: '7' } as const
    const [before, operator] = [signCursor(secret, cursor), simulatorSecrets(keyring)]
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 7_200_000)
    const after = signCursor(secret, cursor)
    expect(simulatorSecrets(keyring)).toEqual(operator)
    later.mockRestore()
    expect(after).not.toBe(before)
    for (const signed of [before, after]) expect(readCursor(secret, signed)).toEqual(cursor)
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
