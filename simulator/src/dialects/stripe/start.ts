// Starts this dialect on a port of its own, so that its addresses are the operator's to the letter.
// It imitates the wire of Stripe's API, as far as Checkout needs it, from public documents and its
// own clients; it is not the operator.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { PageCall, PageReply } from '../../page-frame.ts'
import { writeReply } from '../../reply.ts'
import type { Chaos } from '../chaos.ts'
import type { Resolved, Resolving } from '../resolving.ts'
import { openEvents, type Target } from '../signed-events.ts'
import { ordinarySource, type Source, setDate } from '../source.ts'
import { openBooks } from './books.ts'
import { cardOf, refundState, stateOf } from './objects.ts'
import { asOfNow, giveCard, movedAmount, movedCurrency, refundedOf, resume } from './operator.ts'
import { servePage } from './page.ts'
import { fault, type Reply, serverError } from './reply.ts'
import type { Incoming } from './request.ts'
import { resolve } from './resolve.ts'
import { answer, type RouteDeps } from './routes.ts'
import { api_version, writeEvent } from './write-event.ts'

export type StripeOptions = Readonly<{
  /** 0: any free port. */
  port: number
  host?: string
  /** Divides every delay (default 1). */
  speed?: number
  misbehaves?: boolean
  /** Absent: any key of test mode is good. */
  keys?: readonly string[]
  /** Where browsers reach its pages, without a last slash (default: on its own port). */
  pages_at?: () => string
  chaos?: Chaos
  /** Of what is by chance; absent: the machine's clock and bytes. */
  source?: Source
  /** File of its memory. Absent: it forgets when it stops. */
  journal?: string
  /** Milliseconds since 1970; absent: this machine's. */
  now?: () => number
}>

/** One line of its books; sums in the smallest unit. */
export type StripeBook = Readonly<{
  id: string
  client_reference_id: string
  amount: number
  currency: string
  status: 'open' | 'complete' | 'expired'
  refunds: readonly Readonly<{ id: string; amount: number; status: string }>[]
}>

export type Stripe = Readonly<{
  /** Without a last slash. */
  url: string
  port: number
  books(): StripeBook[]
  /** A payer gives this card on the page of `client_reference_id`. */
  pay(client_reference_id: string, card?: string): Promise<'paid' | 'declined' | 'ended'>
  /** As it is registered in the operator's dashboard: all events go there, signed with it. */
  setWebhook(webhook: Target): void
  /** Answers a payer, where its pages are not on its port. */
  page(call: PageCall): Promise<PageReply>
  /** A test ends what waits. */
  resolve(asked: Resolving): Promise<Resolved>
  stop(): Promise<void>
}>

const body_bytes_max = 64 * 1024
const held_ms = 30_000

export async function startStripe(options: StripeOptions): Promise<Stripe> {
  const { host = '127.0.0.1', speed = 1, misbehaves = false } = options
  const source = { ...ordinarySource, ...options.source }
  const { now = source.now } = options
  if (!(speed > 0)) throw new Error('speed must be greater than 0')
  const books = openBooks(options.journal)
  const events = openEvents({ chaos: options.chaos, now, write: writeEvent })
  let url = ''
  const deps: RouteDeps = {
    ...{ speed, misbehaves, books, events, now, random: source.random },
    page_url: (id) => `${options.pages_at?.() ?? `${url}/c/pay`}/${id}`,
    pages_elsewhere: options.pages_at !== undefined,
    keys: options.keys ?? [],
    chaos: options.chaos,
    asked: new Map(),
    under_way: new Set(),
  }
  const server = createServer((request, response) => {
    setDate(response, { now })
    void serve(deps, request, response)
  })
  server.listen(options.port, host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  url = `http://${host}:${port}`
  resume(deps)
  return {
    url,
    port,
    books: () => [...books.sessions.values()].map((kept) => bookOf(deps, kept.id)),
    pay(reference, card = '4242424242424242') {
      const all = [...books.sessions.values()]
      const session = all.find((one) => one.client_reference_id === reference)
      if (session === undefined) throw new Error(`no page for ${reference}`)
      return giveCard(deps, session.id, card)
    },
    setWebhook: (webhook) => {
      const made = { id: 'we_dashboard', created_at: now() }
      const endpoint = { ...made, enabled_events: ['*'], ...webhook }
      const known = books.endpoints.get(endpoint.id)
      if (known?.url !== webhook.url || known.secret !== webhook.secret) books.keep({ endpoint })
    },
    page: (call) => servePage(deps, call),
    resolve: (asked) => resolve(deps, asked),
    async stop() {
      const closed = once(server, 'close')
      events.stop()
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function bookOf(deps: RouteDeps, id: string): StripeBook {
  const kept = deps.books.sessions.get(id)
  if (kept === undefined) throw new Error(`no page ${id}`)
  const session = asOfNow(kept, deps)
  const { client_reference_id } = session
  return {
    ...{ id, client_reference_id, currency: movedCurrency(session) },
    amount: movedAmount(session, deps),
    status: stateOf(session, deps.now()),
    refunds: refundedOf(deps, session).map((one) => ({
      ...{ id: one.id, amount: one.amount },
      status: refundState(one, cardOf(session), deps, deps.now()),
    })),
  }
}

async function serve(deps: RouteDeps, request: IncomingMessage, response: ServerResponse) {
  const reply = await replyTo(deps, request)
  if (!response.destroyed) write(response, reply, held_ms / deps.speed)
}

async function replyTo(deps: RouteDeps, request: IncomingMessage): Promise<Reply> {
  try {
    const body = await readBody(request)
    if (body === undefined) return fault(413, { message: 'Request entity too large' })
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
    )
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost')
    const incoming: Incoming = { method: request.method ?? '', path, query, headers, body }
    return await answer(deps, incoming)
  } catch (error) {
    process.stderr.write(`simulator: ${error instanceof Error ? error.stack : error}\n`)
    return serverError()
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
      response.writeHead(reply.status, {
        'content-type': 'application/json',
        'stripe-version': api_version,
        ...reply.headers,
      })
      response.end(JSON.stringify(reply.body, null, 2))
      return
    case 'page':
    case 'see_other':
      writeReply(response, reply, hold_ms)
      return
    case 'garbled':
      response.writeHead(reply.status, { 'content-type': 'application/json' })
      response.end('{"id":"\u0000<html>502 upstream')
      return
    case 'lost': {
      const timer = setTimeout(() => response.destroy(), hold_ms)
      response.on('close', () => clearTimeout(timer))
    }
  }
}
