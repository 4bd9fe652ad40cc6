// What the operator answered survives `kill -9`, and it takes up what it left. What nobody asks
// about any more is let go, and its sums are kept.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../src/start.ts'
import {
  type Client,
  callback_secret,
  clientOf,
  order,
  startClient,
  startReceiver,
  token,
  until,
} from './harness.ts'

async function newJournal(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'deeper', 'journal.jsonl')
}

const main = new URL('../src/main.ts', import.meta.url).pathname

async function startProcess(journal: string): Promise<{ child: ChildProcess; client: Client }> {
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SIMULATOR_TOKEN: token,
      SIMULATOR_CALLBACK_SECRET: callback_secret,
      SIMULATOR_JOURNAL: journal,
    },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  if (child.stdout === null) throw new Error('no stdout')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url } = JSON.parse(line)
  const simulator = { url, port: 0, books: () => [], stop: async () => undefined }
  return { child, client: clientOf(simulator) }
}

it('goes on after kill -9: same books, same references, unfinished orders end once', async () => {
  const journal = await newJournal()
  const receiver = await startReceiver()
  const first = await startProcess(journal)
  const done = order('55', { callback_url: receiver.url, otp_kind: 'POST' })
  await first.client.post('/a/collections', done)
  await first.client.post(`/a/collections/${done.reference}/otp`, { otp: '123456' })
  await until(() => receiver.received.length === 1)
  const bodies = Array.from({ length: 20 }, () => order('55', { callback_url: receiver.url }))
  const waiting = order('04', { callback_url: receiver.url })
  await Promise.all([...bodies, waiting].map((body) => first.client.post('/a/collections', body)))
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const { client } = await startProcess(journal)
  for (const body of [done, waiting, ...bodies]) {
    expect((await client.post('/a/collections', body)).status).toBe(409)
  }
  // A callback may come twice around a kill, but as the same event.
  const deliveredCount = () => new Set(receiver.received.map(({ body }) => body.event_id)).size
  await until(() => deliveredCount() >= 21)
  const totals = (await client.get('/books/totals')).body
  expect(totals.a.XOF.collected).toBe(`${21 * 10_325}.00`)
  const view = await client.get(`/a/collections/${waiting.reference}`)
  expect(view.body.status).toBe('PENDING')
  expect(deliveredCount()).toBe(21)
})

it('ends when its standard input closes, and on SIGTERM', async () => {
  const orphan = await startProcess(await newJournal())
  const exited = once(orphan.child, 'exit')
  orphan.child.stdin?.end()
  expect(await exited).toEqual([0, null])
  const simulator = await startProcess(await newJournal())
  const ended = once(simulator.child, 'exit')
  simulator.child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
}, 60_000)

it('keeps an undelivered callback and delivers it after a restart, as the same event', async () => {
  const journal = await newJournal()
  const receiver = await startReceiver()
  receiver.answers.push(500)
  const first = await startClient({ speed: 2, journal })
  await first.post('/a/collections', order('55', { callback_url: receiver.url }))
  await until(() => receiver.received.length === 1)
  await until(async () => (await readFile(journal, 'utf8')).includes('"tries":1'))
  await first.simulator.stop()
  await startClient({ speed: 2, journal })
  await until(() => receiver.received.length === 2)
  expect(receiver.received[0]?.raw).toBe(receiver.received[1]?.raw)
})

it('keeps amounts, pages and odd texts as they were', async () => {
  const journal = await newJournal()
  const first = await startClient({ journal })
  const description = 'line\u2028separator\n"quoted" \ud83d\ude00'
  const more = { flow: 'redirect', description, callback_url: 'http://127.0.0.1:9/' }
  const body = order('9910', { ...more, currency: 'GHS', amount: '999999999999.99' })
  const created = await first.post('/b/collections', body)
  await first.post('/b/collections', order('04', more))
  const page = new URL(created.body.checkout_url).pathname
  await fetch(first.simulator.url + page, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'approve' }),
    redirect: 'manual',
  })
  const books = first.simulator.books()
  expect(books[0]).toMatchObject({ amount: '999999999899.99', status: 'SUCCESSFUL' })
  await first.simulator.stop()
  expect(await readFile(journal, 'utf8')).not.toContain('\u2028')

  const second = await startClient({ journal })
  expect(second.simulator.books()).toEqual(books)
  const html = await (await fetch(second.simulator.url + page)).text()
  expect(html).toContain('line\u2028separator')
})

it('drops a last line that a kill cut short, and refuses to start on other damage', async () => {
  const journal = await newJournal()
  const first = await startClient({ journal })
  await first.post('/a/collections', order('04', { callback_url: 'http://127.0.0.1:9/' }))
  const books = first.simulator.books()
  await first.simulator.stop()
  await appendFile(journal, '{"reference":"cut')
  const second = await startClient({ journal })
  expect(second.simulator.books()).toEqual(books)
  await second.post('/a/collections', order('04', { callback_url: 'http://127.0.0.1:9/' }))
  await second.simulator.stop()

  const whole = await readFile(journal, 'utf8')
  expect(whole.trimEnd().split('\n')).toHaveLength(2)
  await writeFile(journal, `rubbish\n${whole}`)
  const options = { port: 0, token, callback_secret, journal }
  await expect(startSimulator(options)).rejects.toThrow('line 1 is unreadable')
})

it('lets go of the oldest beyond a number with nothing to come, and keeps the sums', async () => {
  const journal = await newJournal()
  const receiver = await startReceiver()
  const options = { journal, speed: 50, orders_max: 20 }
  const first = await startClient(options)
  // Nobody takes its callback: it is sent again for long.
  const untold = order('55', { callback_url: 'http://127.0.0.1:9/' })
  const bodies = Array.from({ length: 60 }, () => order('55', { callback_url: receiver.url }))
  for (const body of [untold, ...bodies]) await first.post('/a/collections', body)
  await until(() => receiver.received.length === 60)
  let made = 61
  await until(async () => {
    await first.post('/a/collections', order('55', { callback_url: receiver.url }))
    made += 1
    return first.simulator.books().length <= 22
  })
  await until(() => receiver.received.length === made - 1)
  const collected = { a: { XOF: { collected: `${made * 10_325}.00`, paid: '0.00' } } }
  const isThere = async ({ get }: Client, { reference }: Record<string, unknown>) =>
    (await get(`/a/collections/${reference}`)).status === 200
  const know = async (client: Client) =>
    Promise.all([bodies[0] ?? {}, untold].map((one) => isThere(client, one)))
  expect((await first.get('/books/totals')).body).toMatchObject(collected)
  expect(await know(first)).toEqual([false, true])
  const books = first.simulator.books()
  await first.simulator.stop()
  // Of each order there were four lines and more.
  expect((await readFile(journal, 'utf8')).split('\n').length).toBeLessThan(2 * made)

  const second = await startClient(options)
  expect(second.simulator.books().length).toBeLessThanOrEqual(22)
  expect(second.simulator.books().slice(-10)).toEqual(books.slice(-10))
  expect((await second.get('/books/totals')).body).toMatchObject(collected)
  expect(await know(second)).toEqual([false, true])
})

it('lets go at a start of what is older than anybody may ask about', async () => {
  const journal = await newJournal()
  const receiver = await startReceiver()
  const first = await startClient({ journal, speed: 50 })
  const [old, young] = [1, 2].map(() => order('55', { callback_url: receiver.url }))
  await first.post('/a/collections', old)
  await first.post('/a/collections', young)
  await until(() => receiver.received.length === 2)
  await first.simulator.stop()
  const ago = (days: number) => `"created_at":${Date.now() - days * 24 * 3_600_000}`
  const lines = (await readFile(journal, 'utf8')).split('\n').map((line) => {
    const days = line.includes(`"${old?.['reference']}"`) ? 201 : 181
    return line.replace(/"created_at":\d+/, ago(days)).replace(/"calls":\[.*?\]/, '"calls":[]')
  })
  await writeFile(journal, lines.join('\n'))
  for (const _ of [1, 2]) {
    const again = await startClient({ journal, speed: 50 })
    const known = again.simulator.books().map(({ reference }) => reference)
    expect(known).toEqual([young?.['reference']])
    expect((await again.get('/books/totals')).body.a.XOF.collected).toBe(`${2 * 10_325}.00`)
    await again.simulator.stop()
  }
})

it('stops at once, even with an answer held back', async () => {
  const { simulator, post } = await startClient()
  const pending = post('/a/collections', order('05', { callback_url: 'http://127.0.0.1:9/' }))
  const broken = expect(pending).rejects.toThrow()
  await until(() => simulator.books().length === 1)
  const started = Date.now()
  await simulator.stop()
  await broken
  // The answer was held back for thirty seconds.
  expect(Date.now() - started).toBeLessThan(20_000)
})
