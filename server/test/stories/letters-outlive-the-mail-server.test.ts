// Letters by a real mail server: it goes away and comes back, refuses somebody, and the process dies
// between the letter and its row. None is lost, and nobody waits for another's.

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/app/connect.ts'
import { readConfig } from '../../src/platform/config.ts'
import { eventually, type House, shopWith, startHouse } from '../harness.ts'
import { type MailStand, openMailStand, type StandOptions, tokenIn } from '../mail-stand.ts'
import { freePort, type ServiceProcess, startProcess } from '../setup/own-process.ts'

let ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

async function openStand(options: StandOptions = {}): Promise<MailStand> {
  const stand = await openMailStand(options)
  let over: Promise<void> | undefined
  const close = () => {
    over ??= stand.close()
    return over
  }
  ends.push(close)
  return { ...stand, close }
}

async function openHouse(url: string, env: Record<string, string> = {}): Promise<House> {
  const house = await startHouse({
    env: { SMTP_URL: url, MAIL_FROM: 'Pay <mail@pay.example>', ...env },
  })
  ends.push(() => house.stop())
  return house
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
const passTime = ({ owner }: House) => owner`
  update mail_outbox set due_at = now() - interval '1 s', leased_until = null`
const waiting = ({ owner }: House) => owner`
  select tries, last_error from mail_outbox order by created_at`

describe('a letter', () => {
  it('reaches its reader, who follows the link', async () => {
    const stand = await openStand()
    const house = await openHouse(stand.url)
    const email = await register(house.url)
    await eventually(async () => has(stand.received.length === 1))
    const [letter] = stand.received
    expect(letter?.envelope_to).toEqual([email])
    expect(letter?.headers).toMatchObject({
      from: 'Pay <mail@pay.example>',
      subject: 'Confirmez votre adresse e-mail',
      'auto-submitted': 'auto-generated',
      'content-language': 'fr',
    })
    const token = letter === undefined ? '' : tokenIn(letter)
    const done = await shopWith(house.url, '', '').post('/auth/email/verify/', { token })
    expect(done.status).toBe(200)
    await eventually(async () => has((await waiting(house)).count === 0))
  })

  it('waits while the mail server is away, and signing up does not', async () => {
    const port = await freePort()
    const house = await openHouse(`smtp://127.0.0.1:${port}`)
    const began = performance.now()
    const email = await register(house.url)
    expect(performance.now() - began).toBeLessThan(3_000)
    await eventually(async () => has((await waiting(house))[0]?.['last_error'] !== ''))
    expect([...(await waiting(house))]).toMatchObject([
      { tries: 1, last_error: expect.stringMatching(/^(ESOCKET|ECONNECTION|ECONNREFUSED)/) },
    ])
    const stand = await openStand({ port })
    await passTime(house)
    await eventually(async () => has(stand.received.length === 1))
    expect(stand.received[0]?.envelope_to).toEqual([email])
    await eventually(async () => has((await waiting(house)).count === 0))
  })

  it('that is refused delays no other, and its address stands nowhere', async () => {
    const stand = await openStand({ refuses: (address) => address.startsWith('gone') })
    const house = await openHouse(stand.url)
    await register(house.url, 'gone@smtp.example')
    const emails = await Promise.all(Array.from({ length: 6 }, () => register(house.url)))
    await eventually(async () => has(stand.received.length === 6))
    const readers = stand.received.flatMap(({ envelope_to }) => envelope_to)
    expect(readers.toSorted()).toEqual(emails.toSorted())
    await eventually(async () => has((await waiting(house)).count === 1))
    expect([...(await waiting(house))]).toEqual([{ tries: 1, last_error: 'EENVELOPE 550 RCPT TO' }])
  })

  it('goes once, however many processes there are', async () => {
    const stand = await openStand()
    const house = await openHouse(stand.url, { ROLE: 'api' })
    const workers = [await house.another({ ROLE: 'worker' }), await house.another()]
    const emails = await Promise.all(Array.from({ length: 20 }, () => register(house.url)))
    await eventually(async () => has((await waiting(house)).count === 0))
    const readers = stand.received.flatMap(({ envelope_to }) => envelope_to)
    expect(readers.toSorted()).toEqual(emails.toSorted())
    for (const worker of workers) await worker.stop()
  })
})

describe('a process that is killed', () => {
  it('after the mail server took a letter sends it again: twice, and never not at all', async () => {
    const data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-killed-'))
    ends.push(() => rm(data_dir, { recursive: true, force: true }))
    const port = await freePort()
    // The letter is taken, and the word that it was never comes.
    const first = await openStand({ port, hold: () => new Promise(() => undefined) })
    const service = await start(data_dir, port)
    const email = await register(service.url)
    await eventually(async () => has(first.seen() === 1))
    await service.killHard()
    await first.close()

    const second = await openStand({ port })
    await endLeases(data_dir)
    const again = await start(data_dir, port)
    await eventually(async () => has(second.received.length === 1), 30_000)
    const [letter] = second.received
    expect(letter?.envelope_to).toEqual([email])
    const token = letter === undefined ? '' : tokenIn(letter)
    const done = await shopWith(again.url, '', '').post('/auth/email/verify/', { token })
    expect(done.status).toBe(200)
    expect(await again.stop()).toBe(0)
  }, 180_000)
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
  const rows = await db`update mail_outbox set leased_until = now() returning tries`
  expect([...rows]).toEqual([{ tries: 1 }])
  await connection.stop()
}
