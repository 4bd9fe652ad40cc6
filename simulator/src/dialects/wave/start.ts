// Starts this dialect on a port of its own, so that its addresses are the operator's to the letter.
// It imitates the wire of Wave Business from public documents; it is not the operator.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { PageCall, PageReply } from '../../page-frame.ts'
import { writeReply } from '../../reply.ts'
import type { Chaos } from '../chaos.ts'
import type { Resolved, Resolving } from '../resolving.ts'
import { ordinarySource, type Source, setDate } from '../source.ts'
import { openBooks } from './books.ts'
import { servePage } from './page.ts'
import { coded, type Reply } from './reply.ts'
import type { Incoming } from './request.ts'
import { resolve } from './resolve.ts'
import { answer, type OperatorDeps, wallet } from './routes.ts'
import { movedAmount, payoutStatus, scenarioOf, stateAt } from './session.ts'
import { openWebhooks, type Registration } from './webhooks.ts'

export type WaveOptions = Readonly<{
  /** 0: any free port. */
  port: number
  host?: string
  /** Divides every delay (default 1). */
  speed?: number
  misbehaves?: boolean
  /** Payers pay of themselves, a second later (default: on the page alone). */
  auto_pay?: boolean
  /** A number's story begins when its payer pays on the page (default: by itself). */
  on_page?: boolean
  /** Where browsers reach its pages, without a last slash (default: on its own port). */
  pages_at?: () => string
  unpaid_shows?: 'cancelled' | 'processing'
  session_life_s?: number
  search_lag_ms?: number
  api_key?: string
  currency?: string
  /** Whole units in the wallet. */
  opening_balance?: number
  webhook?: Registration
  chaos?: Chaos
  /** Of what is by chance; absent: the machine's clock and bytes. */
  source?: Source
  /** File of its memory. Absent: it forgets when it stops. */
  journal?: string
}>

/** One line of its books. */
export type WaveBook = Readonly<{
  kind: 'checkout' | 'payout'
  id: string
  reference: string
  mobile: string
  amount: string
  currency: string
  status: string
  refunded: boolean
}>

export type Wave = Readonly<{
  /** Without a last slash. */
  url: string
  port: number
  api_key: string
  books(): WaveBook[]
  /** Whole units. */
  wallet(): number
  register(registration: Registration): void
  /** Answers a payer, where its pages are not on its port. */
  page(call: PageCall): PageReply
  /** A test ends what waits. */
  resolve(asked: Resolving): Resolved
  /** The portal's test event; the status of its answer. */
  sendTest(): Promise<number>
  stop(): Promise<void>
}>

const body_bytes_max = 64 * 1024
const held_ms = 30_000
const standardKey = 'wave_sn_prod_imitation0000000000000000'

export async function startWave(options: WaveOptions): Promise<Wave> {
  const { host = '127.0.0.1', speed = 1, api_key = standardKey } = options
  const { source = ordinarySource } = options
  if (!(speed > 0)) throw new Error('speed must be greater than 0')
  let url = ''
  const pace = {
    speed,
    misbehaves: options.misbehaves ?? false,
    auto_pay: options.auto_pay ?? false,
    on_page: options.on_page ?? false,
    session_life_ms: (options.session_life_s ?? 1_800) * 1000,
    unpaid_shows: options.unpaid_shows ?? ('cancelled' as const),
    business_name: 'Imitation',
    page_url: (id: string) => `${options.pages_at?.() ?? `${url}/c`}/${id}`,
  }
  const books = openBooks(options.journal)
  const { now, random } = source
  const webhooks = openWebhooks(pace, {
    ...{ chaos: options.chaos, now },
    find: (id) => books.sessions.get(id),
  })
  if (options.webhook !== undefined) webhooks.register(options.webhook)
  const deps: OperatorDeps = {
    ...{ ...pace, books, webhooks, api_key, now, random, chaos: options.chaos, asked: new Map() },
    currency: options.currency ?? 'XOF',
    opening_balance: options.opening_balance ?? 100_000_000,
    search_lag_ms: options.search_lag_ms ?? 0,
    pages_elsewhere: options.pages_at !== undefined,
  }
  const server = createServer((request, response) => {
    setDate(response, source)
    void serve(deps, request, response)
  })
  server.listen(options.port, host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  url = `http://${host}:${port}`
  return {
    ...{ url, port, api_key },
    books: () => booksOf(deps),
    wallet: () => wallet(deps),
    register: webhooks.register,
    page: (call) => servePage(deps, call),
    resolve: (asked) => resolve(deps, asked),
    sendTest: webhooks.sendTest,
    async stop() {
      const closed = once(server, 'close')
      webhooks.stop()
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function booksOf(deps: OperatorDeps): WaveBook[] {
  const sessions = [...deps.books.sessions.values()].map((one): WaveBook => {
    const { checkout_status, refunded_at } = stateAt(one, deps, deps.now())
    const isWrong = scenarioOf(one, deps).wrong_amount
    return {
      ...{ kind: 'checkout', id: one.id, reference: one.client_reference ?? '' },
      ...{ mobile: one.restrict_payer_mobile ?? '', amount: movedAmount(one.amount, isWrong) },
      ...{ currency: one.currency, status: checkout_status, refunded: refunded_at !== undefined },
    }
  })
  const payouts = [...deps.books.payouts.values()].map(
    (one): WaveBook => ({
      ...{ kind: 'payout', id: one.id, reference: one.client_reference ?? '', mobile: one.mobile },
      ...{ amount: movedAmount(one.receive_amount, one.wrong_amount), currency: one.currency },
      ...{ status: payoutStatus(one, deps, deps.now()), refunded: false },
    }),
  )
  return [...sessions, ...payouts]
}

async function serve(deps: OperatorDeps, request: IncomingMessage, response: ServerResponse) {
  const reply = await replyTo(deps, request)
  if (!response.destroyed) write(response, reply, held_ms / deps.speed)
}

async function replyTo(deps: OperatorDeps, request: IncomingMessage): Promise<Reply> {
  try {
    const body = await readBody(request)
    if (body === undefined) return coded(413, 'request-parsing-error')
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
    )
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://here')
    const incoming: Incoming = { method: request.method ?? '', path, query, headers, body }
    return await answer(deps, incoming)
  } catch (error) {
    process.stderr.write(`simulator: ${error instanceof Error ? error.stack : error}\n`)
    return coded(500, 'internal-server-error')
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= body_bytes_max) chunks.push(chunk)
  }
  return bytes > body_bytes_max ? undefined : Buffer.concat(chunks).toString('utf8')
}

function write(response: ServerResponse, reply: Reply, hold_ms: number): void {
  switch (reply.is) {
    case 'json':
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      response.end(JSON.stringify(reply.body))
      return
    case 'empty':
      response.writeHead(reply.status, { 'content-length': '0' }).end()
      return
    case 'page':
    case 'see_other':
      writeReply(response, reply, hold_ms)
      return
    case 'garbled':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"id":"cos-\u0000<html>502 upstream')
      return
    case 'lost': {
      const timer = setTimeout(() => response.destroy(), hold_ms)
      response.on('close', () => clearTimeout(timer))
    }
  }
}
