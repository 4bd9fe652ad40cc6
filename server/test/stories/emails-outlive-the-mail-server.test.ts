// Letters by a real mail server: it goes away and comes back, refuses somebody, and the process dies
// between the letter and its row. None is lost, and nobody waits for another's.

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { connect } from '../../src/app/connect.ts'
import { eventually, shopWith, startApp, type TestApp } from '../harness.ts'
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
  tokenIn,
} from '../mail-server.ts'
import { freePort } from '../setup/loopback.ts'
import { type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { wholeIt } from '../setup/proof-size.ts'

let ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

async function startServer(options: MailServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options)
  let over: Promise<void> | undefined
  const close = () => {
    over ??= server.close()
    return over
  }
  ends.push(close)
  return { ...server, close }
}

async function openApp(url: string, env: Record<string, string> = {}): Promise<TestApp> {
  const app = await startApp({
    env: { SMTP_URL: url, MAIL_FROM: 'Pay <mail@pay.example>', ...env },
  })
  ends.push(() => app.stop())
  return app
}

async function register(url: string, email = `${randomUUID()}@smtp.example`): Promise<string> {
  const made = await shopWith(url, '', '').post(
    '/auth/register/',
    {
      merchant_name: 'Boutique Awa',
      country: 'SN',
      email,
      password: 'a long pass phrase',
      first_name: 'Awa',
      last_name: 'Diop',
    },
    { 'accept-language': 'fr' },
  )
  expect(made.status).toBe(201)
  return email
}

const has = (condition: boolean) => {
  if (!condition) throw new Error('not yet')
}
/** The minute until the next try is over. */
const passTime = ({ owner }: TestApp) => owner`
  update mail_outbox set due_at = now() - interval '1 s', leased_until = null`
const waiting = ({ owner }: TestApp) => owner`
  select tries, last_error from mail_outbox order by created_at`

describe('a letter', () => {
  it('reaches its reader, who follows the link', async () => {
    const server = await startServer()
    const app = await openApp(server.url)
    const email = await register(app.url)
    await eventually(async () => has(server.received.length === 1))
    const [message] = server.received
    expect(message?.envelope_to).toEqual([email])
    expect(message?.headers).toMatchObject({
      from: 'Pay <mail@pay.example>',
      subject: 'Confirmez votre adresse e-mail',
      'auto-submitted': 'auto-generated',
      'content-language': 'fr',
    })
    const token = message === undefined ? '' : tokenIn(message)
    const done = await shopWith(app.url, '', '').post('/auth/email/verify/', { token })
    expect(done.status).toBe(200)
    await eventually(async () => has((await waiting(app)).count === 0))
  })

  it('waits while the mail server is away, and signing up does not', async () => {
    const port = await freePort()
    const app = await openApp(`smtp://127.0.0.1:${port}`)
    const email = await register(app.url)
    expect(await waiting(app)).toHaveLength(1)
    await eventually(async () => has((await waiting(app))[0]?.['last_error'] !== ''))
    expect([...(await waiting(app))]).toMatchObject([
      { tries: 1, last_error: expect.stringMatching(/^(ESOCKET|ECONNECTION|ECONNREFUSED)/) },
    ])
    const server = await startServer({ port })
    await passTime(app)
    await eventually(async () => has(server.received.length === 1))
    expect(server.received[0]?.envelope_to).toEqual([email])
    await eventually(async () => has((await waiting(app)).count === 0))
  })

  it('that is refused delays no other, and its address stands nowhere', async () => {
    const server = await startServer({ refuses: (address) => address.startsWith('gone') })
    const app = await openApp(server.url)
    await register(app.url, 'gone@smtp.example')
    const emails = await Promise.all(Array.from({ length: 6 }, () => register(app.url)))
    await eventually(async () => has(server.received.length === 6))
    const recipients = server.received.flatMap(({ envelope_to }) => envelope_to)
    expect(recipients.toSorted()).toEqual(emails.toSorted())
    await eventually(async () => has((await waiting(app)).count === 1))
    expect([...(await waiting(app))]).toEqual([{ tries: 1, last_error: 'EENVELOPE 550 RCPT TO' }])
  })

  it('goes once, however many processes there are', async () => {
    const server = await startServer()
    const app = await openApp(server.url, { ROLE: 'api' })
    const workers = [await app.another({ ROLE: 'worker' }), await app.another()]
    const emails = await Promise.all(Array.from({ length: 20 }, () => register(app.url)))
    await eventually(async () => has((await waiting(app)).count === 0))
    const recipients = server.received.flatMap(({ envelope_to }) => envelope_to)
    expect(recipients.toSorted()).toEqual(emails.toSorted())
    for (const worker of workers) await worker.stop()
  })
})

describe('a process that is killed', () => {
  const sendsAgain =
    'after the mail server took a letter sends it again: twice, and never not at all'

  wholeIt(sendsAgain, { timeout: 180_000 }, async () => {
    const data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-killed-'))
    ends.push(() => rm(data_dir, { recursive: true, force: true }))
    const port = await freePort()
    // The letter is taken, and the word that it was never comes.
    const first = await startServer({ port, hold: () => new Promise(() => undefined) })
    const service = await start(data_dir, port)
    const email = await register(service.url)
    await eventually(async () => has(first.seen() === 1))
    await service.killHard()
    await first.close()

    const second = await startServer({ port })
    await endLeases(data_dir)
    const again = await start(data_dir, port)
    await eventually(async () => has(second.received.length === 1), 30_000)
    const [message] = second.received
    expect(message?.envelope_to).toEqual([email])
    const token = message === undefined ? '' : tokenIn(message)
    const done = await shopWith(again.url, '', '').post('/auth/email/verify/', { token })
    expect(done.status).toBe(200)
    expect(await again.stop()).toBe(0)
  })
})

async function start(data_dir: string, smtp_port: number): Promise<ServiceProcess> {
  const env = { SMTP_URL: `smtp://127.0.0.1:${smtp_port}` }
  const service = await startProcess({ data_dir, port: await freePort(), env })
  ends.push(() => service.stop())
  return service
}

/** The minute that the dead one's lease would last is over. */
async function endLeases(data_dir: string): Promise<void> {
  const reading = readConfig({ DATA_DIR: data_dir })
  if (reading.is === 'mistakes') throw new Error(reading.lines.join(' '))
  const connection = await connect(reading.config, pino({ level: 'silent' }))
  const db = connection.open('superuser', { connections_max: 1, durable: true, name: 'test' })
  const rows =
    await db`update mail_outbox set leased_until = now() - interval '1 second' returning tries`
  expect([...rows]).toEqual([{ tries: 1 }])
  await connection.stop()
}
