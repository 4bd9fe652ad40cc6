// What the simulator's tests share: an operator on a free port, and a client's server that takes
// its callbacks. Real HTTP on loopback throughout.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import { signBody } from '../src/deliver-callback.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../src/start.ts'

export const token = 'test-token'
export const callback_secret = 'test-secret'

export type Received = Readonly<{
  at: number
  headers: IncomingHttpHeaders
  raw: string
  body: Record<string, string>
}>

export type Receiver = Readonly<{
  url: string
  received: Received[]
  /** The statuses to answer with, one a call; 200 when there are no more. */
  answers: number[]
}>

/** Callback addresses under this path answer slowly, by so many milliseconds. */
export const slow = { path: '/slow', delay_ms: 250 }

/** A client's callback address. Ends with the test. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers: number[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const raw = Buffer.concat(chunks).toString('utf8')
    received.push({ at: Date.now(), headers: req.headers, raw, body: JSON.parse(raw) })
    if (req.url?.endsWith(slow.path)) await pause(slow.delay_ms)
    res.writeHead(answers.shift() ?? 200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}/callback`, received, answers }
}

/** True when the callback carries a signature that its receiver can compute themselves. */
export function isSigned({ headers, raw }: Received): boolean {
  const timestamp = String(headers['x-sim-timestamp'])
  return headers['x-sim-signature'] === signBody(callback_secret, timestamp, raw)
}

export type Answered = Readonly<{
  status: number
  body: ReturnType<typeof JSON.parse>
}>

export type Client = Readonly<{
  simulator: Simulator
  get(path: string): Promise<Answered>
  post(path: string, body?: unknown): Promise<Answered>
}>

export function clientOf(simulator: Simulator): Client {
  const call = async (path: string, init: RequestInit): Promise<Answered> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(simulator.url + path, { ...init, headers })
    const text = await reply.text()
    return { status: reply.status, body: readJson(text) }
  }
  return {
    simulator,
    get: (path) => call(path, {}),
    post: (path, body) =>
      call(path, { method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An operator and a caller of it. Ends with the test. */
export async function startClient(options: Partial<SimulatorOptions> = {}): Promise<Client> {
  const simulator = await startSimulator({
    port: 0,
    token,
    callback_secret,
    misbehaves: true,
    ...options,
  })
  onTestFinished(() => simulator.stop())
  return clientOf(simulator)
}

let orders_made = 0

/** A create body; `last` are the digits that choose what happens. */
export function order(last: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  orders_made += 1
  return {
    reference: `ref-${orders_made}`,
    amount: '10325.00',
    currency: 'XOF',
    msisdn: '221770000000'.slice(0, -last.length) + last,
    network: 'ORANGE_SN',
    flow: 'push',
    otp_kind: 'NONE',
    ...more,
  }
}

/** Waits until `check` holds; fails loudly when it never does. */
export async function until(
  check: () => boolean | Promise<boolean>,
  limit_ms = 30_000,
): Promise<void> {
  const give_up = Date.now() + limit_ms
  while (!(await check())) {
    if (Date.now() > give_up) throw new Error(`still not so after ${limit_ms} ms: ${check}`)
    await pause(5)
  }
}

export function pause(delay_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delay_ms))
}
