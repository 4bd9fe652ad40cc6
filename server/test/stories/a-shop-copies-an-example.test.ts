// The programs of docs/examples as they stand there, in three languages: a payment is started under
// its key, asked for until it has ended, and its signed webhook is checked by the receiver beside it.

import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { eventTypes } from '../../src/events/event.ts'
import { examplePayloads } from '../../src/webhooks/catalogue-routes.ts'
import { signatureHeaders } from '../../src/webhooks/sign.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { createEnds } from '../setup/ends.ts'
import { freePort } from '../setup/loopback.ts'
import { wireBetween } from '../setup/wire-between.ts'

let app: TestApp
const ends = createEnds()

beforeAll(async () => {
  app = await startApp()
})
afterAll(async () => {
  await ends.all()
  await app?.stop()
})

type Language = Readonly<{
  name: string
  suffix: string
  /** What a block of it is called in a guide. */
  fence: string
  /** Runs a program; with a port, serves it there. */
  run(file: string, port?: number): readonly string[]
  /** Whether all that the examples need is installed. */
  probe: readonly string[]
}>

const languages: readonly Language[] = [
  {
    name: 'Node',
    suffix: 'mjs',
    fence: 'js',
    run: (file) => [process.execPath, file],
    probe: [process.execPath, '--version'],
  },
  {
    name: 'PHP',
    suffix: 'php',
    fence: 'php',
    run: (file, port) =>
      port === undefined ? ['php', file] : ['php', '-S', `127.0.0.1:${port}`, file],
    probe: ['php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);'],
  },
  {
    name: 'Python',
    suffix: 'py',
    fence: 'python',
    run: (file) => ['python3', file],
    probe: ['python3', '--version'],
  },
]

const guides = new URL('../../../docs/guides/', import.meta.url)

const example = (name: string, { suffix }: Language) =>
  fileURLToPath(new URL(`../../../docs/examples/${name}.${suffix}`, import.meta.url))

/** Reported as skipped, never as passed: without its interpreter nothing was proven. */
function needs({ name, probe }: Language, skip: TestContext['skip']): void {
  const [program = '', ...args] = probe
  const isThere = spawnSync(program, args).status === 0
  if (!isThere) process.stderr.write(`NOT RUN: the examples in ${name}, not installed here\n`)
  skip(!isThere, `${name} is not installed here`)
}

type Running = Readonly<{ printed(): string; forget(): void; ended: Promise<number | null> }>

function start(command: readonly string[], env: Record<string, string>) {
  const [program = '', ...args] = command
  const child = spawn(program, args, { env: { ...process.env, ...env } })
  ends.add(() => void child.kill())
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
    })
  }
  const running: Running = {
    printed: () => printed,
    forget: () => {
      printed = ''
    },
    ended: once(child, 'close').then(() => child.exitCode),
  }
  return { ...running, kill: () => child.kill() }
}

/** A receiver of webhooks that refuses what is not signed. */
async function startReceiver(language: Language, port: number, secret: string) {
  const command = language.run(example('webhook-receiver', language), port)
  const receiver = start(command, { WEBHOOK_SECRET: secret, PORT: String(port) })
  const unsigned = { method: 'POST', body: 'unsigned' }
  await eventually(async () => {
    expect((await fetch(`http://127.0.0.1:${port}/`, unsigned)).status).toBe(401)
  })
  await eventually(async () => expect(receiver.printed()).toContain('refused'))
  receiver.forget()
  return receiver
}

type Order = Readonly<{ name: string; phone: string; url?: string }>

/** What the program printed of an order of 5000, and how it exited. */
async function take(language: Language, shop: Shop, { name, phone, url = app.url }: Order) {
  const command = [...language.run(example('take-payment', language)), name, '5000', phone]
  const taking = start(command, { API: `${url}/api/v1`, KEY: shop.key })
  const code = await taking.ended
  const printed = taking.printed()
  const [, reference = ''] = /^started +(\S+)/m.exec(printed) ?? []
  return { code, printed, reference }
}

async function register(shop: Shop, port: number): Promise<{ id: string; secret: string }> {
  const reply = await shop.post('/merchant-webhooks/', { url: `http://127.0.0.1:${port}/` })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return { id: reply.data.id, secret: reply.data.signing_secret }
}

/** One signed delivery of an event; the status that the receiver answers, or none. */
async function deliver(port: number, secret: string, event: Json): Promise<number> {
  const body = JSON.stringify({ created_at: '2026-11-21T07:00:47.799Z', ...event })
  const { id, event: type } = event
  const timestamp_s = Math.floor(Date.now() / 1000)
  const headers = signatureHeaders({ id, event: type, body, timestamp_s, secret })
  const sent = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })
  return sent.then(
    ({ status }) => status,
    () => 0,
  )
}

const countOf = async (shop: Shop, order: string) =>
  (await shop.get(`/transactions/?merchant_reference=${order}`)).data.results.length

describe.each(languages.map((one) => [one.name, one] as const))('in %s', (_, language) => {
  it('a payment is taken, and its webhook is understood', async ({ skip }) => {
    needs(language, skip)
    const shop = await app.shop()
    const port = await freePort()
    const { secret } = await register(shop, port)
    const receiver = await startReceiver(language, port, secret)
    const { phone } = newPayer()
    const { code, printed, reference } = await take(language, shop, { name: 'ORDER-1', phone })
    expect(printed).toMatch(/^started +TXN-\S+ +APPROVE_ON_PHONE +Approve the payment/m)
    expect(printed).toMatch(new RegExp(`^ended +${reference} +SUCCESS +5000.00 XOF`, 'm'))
    expect(code).toBe(0)
    await eventually(async () => {
      const line = `transaction.success +${reference} +SUCCESS +5000.00 XOF`
      expect(receiver.printed()).toMatch(new RegExp(line))
    })
    expect(receiver.printed()).not.toContain('refused')
    receiver.kill()
    await receiver.ended
  })

  it('while a secret is replaced, a receiver that has either of them understands', async ({
    skip,
  }) => {
    needs(language, skip)
    const shop = await app.shop()
    const port = await freePort()
    const { id, secret: old } = await register(shop, port)
    const { data: rotated } = await shop.post(`/merchant-webhooks/${id}/rotate-secret/`)
    for (const secret of [old, rotated.signing_secret]) {
      const receiver = await startReceiver(language, port, secret)
      const { data } = await shop.pay({ customer: newPayer() })
      await eventually(async () => {
        const printed = receiver.printed()
        expect(printed).toMatch(new RegExp(`transaction.created +${data.reference} +PENDING`))
        expect(printed).toMatch(new RegExp(`transaction.success +${data.reference} +SUCCESS`))
      })
      expect(receiver.printed()).not.toContain('refused')
      receiver.kill()
      await receiver.ended
    }
  })

  it('an event of each kind is understood; one that fails is done when it comes again', async ({
    skip,
  }) => {
    needs(language, skip)
    const port = await freePort()
    const secret = `whsec_${'s'.repeat(44)}`
    const receiver = await startReceiver(language, port, secret)
    for (const type of eventTypes) {
      const data: Json = examplePayloads[type]
      expect(await deliver(port, secret, { id: randomUUID(), event: type, data })).toBe(204)
      const { reference, status, amount, currency, version } = data
      const money = `${status}  ${amount} ${currency}  version ${version}`
      const line = reference === undefined ? type : `${type}  ${reference}  ${money}`
      expect(line).not.toContain('undefined')
      await eventually(async () => expect(receiver.printed()).toContain(line))
    }
    const paid = { id: randomUUID(), event: 'transaction.success' }
    expect(await deliver(port, secret, { ...paid, data: null })).toBe(500)
    receiver.forget()
    const data = examplePayloads['transaction.success']
    for (const known of ['transaction.success  TXN-', `again     ${paid.id}`]) {
      expect(await deliver(port, secret, { ...paid, data })).toBe(204)
      await eventually(async () => expect(receiver.printed()).toContain(known))
    }
    receiver.kill()
    await receiver.ended
  })

  it('an answer that is lost, or comes later, makes no second payment', async ({ skip }) => {
    needs(language, skip)
    const shop = await app.shop()
    const wire = await ends.keep(wireBetween(app.url))
    const busy = { success: false, error: { code: 'service_unavailable', retryable: true } }
    wire.spoils((_call, nth) => {
      if (nth === 0) return { reaches: true, answer: 'broken' }
      if (nth > 1) return undefined
      const body = JSON.stringify({ ...busy, code: 503 })
      return { reaches: false, answer: { status: 503, body, headers: { 'retry-after': '1' } } }
    })
    const order = { name: 'ORDER-2', phone: newPayer().phone, url: wire.url }
    const { code, printed } = await take(language, shop, order)
    expect(code, printed).toBe(0)
    const starts = wire.passed.filter(({ method }) => method === 'POST')
    expect(starts).toHaveLength(3)
    expect(await countOf(shop, 'ORDER-2')).toBe(1)
  })

  it('the payer is led to a page that the operator makes later', async ({ skip }) => {
    needs(language, skip)
    const shop = await app.shop()
    const wire = await ends.keep(wireBetween(app.url))
    const pages = ['', 'https://pay.example/a', 'https://pay.example/a']
    wire.spoils(({ method }, nth) => {
      const checkout_url = pages[nth - 1]
      if (method === 'POST' || checkout_url === undefined) return undefined
      const data = { status: 'PENDING', next_action: 'REDIRECT', checkout_url }
      const body = JSON.stringify({ success: true, data, code: 200 })
      return { reaches: false, answer: { status: 200, body, headers: {} } }
    })
    const order = { name: 'ORDER-5', phone: newPayer().phone, url: wire.url }
    const { code, printed } = await take(language, shop, order)
    expect(printed.match(/^open +https:\S+/gm)).toEqual(['open      https://pay.example/a'])
    expect(code, printed).toBe(0)
  })

  it('a payment that fails is told with its reason, and so is a refusal', async ({ skip }) => {
    needs(language, skip)
    const shop = await app.shop()
    const poor = await take(language, shop, { name: 'ORDER-3', phone: newPayer('01').phone })
    expect(poor.printed).toMatch(/^ended +TXN-\S+ +FAILED +5000.00 XOF +INSUFFICIENT_FUNDS/m)
    expect(poor.code).toBe(1)
    const unknown = await take(language, shop, { name: 'ORDER-4', phone: '+229019' })
    expect(unknown.printed).toMatch(/customer/)
    expect(unknown.code).toBeGreaterThan(0)
    expect(await countOf(shop, 'ORDER-4')).toBe(0)
  })
})

it('what the guide shows of them is what they are', async () => {
  const guide = await readFile(new URL('payments.md', guides), 'utf8')
  const shown = [...guide.matchAll(/^```(js|php|python)\n([\s\S]*?)^```$/gm)]
  expect(shown).toHaveLength(2 * languages.length)
  for (const [, fence = '', block = ''] of shown) {
    const language = languages.find((one) => one.fence === fence)
    if (language === undefined) throw new Error(fence)
    expect(await readFile(example('take-payment', language), 'utf8')).toContain(block)
  }
})

it('one that is given nothing says what it needs', async () => {
  const [node] = languages
  if (node === undefined) throw new Error('Node is a language')
  const asked = start(node.run(example('take-payment', node)), { API: '', KEY: '' })
  expect(await asked.ended).toBe(1)
  expect(asked.printed()).toContain('Set API and KEY')
})
