// Starts this dialect on a port of its own, so that its addresses are the operator's to the letter.
// It imitates the wire of MTN MoMo's open API from public documents; it is not the operator.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Chaos } from '../chaos.ts'
import type { Resolved, Resolving } from '../resolving.ts'
import { ordinarySource, type Source, setDate } from '../source.ts'
import { type ApiUser, openBooks } from './books.ts'
import { openCallbacks } from './callbacks.ts'
import { gate, type Reply } from './reply.ts'
import { hostsOf, type Incoming } from './request.ts'
import { resolve } from './resolve.ts'
import { answer, balanceOf, type OperatorDeps } from './routes.ts'
import { movedAmount, stateAt } from './transaction.ts'

export type MtnOptions = Readonly<{
  /** 0: any free port. */
  port: number
  host?: string
  /** Divides every delay (default 1). */
  speed?: number
  misbehaves?: boolean
  reason_shape?: 'TEXT' | 'OBJECT'
  target_environment?: string
  currency?: string
  /** Whole units that may be paid out. */
  opening_balance?: number
  token_life_s?: number
  chaos?: Chaos
  /** Of what is by chance; absent: the machine's clock and bytes. */
  source?: Source
  /** File of its memory. Absent: it forgets when it stops. */
  journal?: string
}>

/** One line of its books. */
export type MtnBook = Readonly<{
  product: 'collection' | 'disbursement'
  reference: string
  msisdn: string
  amount: string
  currency: string
  status: 'PENDING' | 'SUCCESSFUL' | 'FAILED'
}>

export type Mtn = Readonly<{
  /** Without a last slash. */
  url: string
  port: number
  books(): MtnBook[]
  /** Ends every token that it gave. */
  dropTokens(): void
  tokensIssued(): number
  /** From now on so many whole units may be paid out, beside what was. */
  holdFloat(units: number): void
  /**
   * As whoever has an account there makes it on the portal. What is known of it keeps its hosts:
   * several that share it, each behind an address of its own, ask one after the other.
   */
  keepUser(user: ApiUser): void
  /** A test ends what waits. */
  resolve(asked: Resolving): Resolved
  stop(): Promise<void>
}>

const body_bytes_max = 64 * 1024
const late_ms = 30_000

export async function startMtn(options: MtnOptions): Promise<Mtn> {
  const { host = '127.0.0.1', speed = 1 } = options
  if (!(speed > 0)) throw new Error('speed must be greater than 0')
  const pace = {
    speed,
    misbehaves: options.misbehaves ?? false,
    reason_shape: options.reason_shape ?? ('TEXT' as const),
  }
  const { source = ordinarySource } = options
  const books = openBooks(options.journal, source)
  let opening_balance = options.opening_balance ?? 100_000_000
  const { now, random } = source
  const callbacks = openCallbacks(pace, options.chaos, now)
  const deps: OperatorDeps = {
    ...pace,
    books,
    target_environment: options.target_environment ?? 'sandbox',
    currency: options.currency ?? 'EUR',
    opening_balance: () => opening_balance,
    token_life_s: options.token_life_s ?? 3600,
    chaos: options.chaos,
    asked: new Map(),
    schedule: callbacks.schedule,
    now,
    random,
  }
  const server = createServer((request, response) => {
    setDate(response, source)
    void serve(deps, request, response)
  })
  server.listen(options.port, host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  callbacks.resume(books.transactions.values())
  return {
    url: `http://${host}:${port}`,
    port,
    books: () =>
      [...books.transactions.values()].map((one) => ({
        product: one.product,
        reference: one.reference,
        msisdn: one.msisdn,
        amount: movedAmount(one, pace),
        currency: one.currency,
        status: stateAt(one, pace, now()).status,
      })),
    dropTokens: books.dropTokens,
    tokensIssued: books.tokensIssued,
    holdFloat: (units) => {
      opening_balance += units - balanceOf(deps, { product: 'disbursement' })
    },
    keepUser: (user) => {
      const known = books.users.get(user.id)
      const hosts = new Set([...hostsOf(user), ...(known === undefined ? [] : hostsOf(known))])
      const [callback_host = '', ...other_hosts] = [...hosts].toSorted()
      const next = { ...user, callback_host, other_hosts }
      if (JSON.stringify(known) !== JSON.stringify(next)) books.keep({ user: next })
    },
    resolve: (asked) => resolve(deps, asked),
    async stop() {
      const closed = once(server, 'close')
      callbacks.stop()
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function serve(deps: OperatorDeps, request: IncomingMessage, response: ServerResponse) {
  const reply = await replyTo(deps, request)
  if (!response.destroyed) write(response, reply, late_ms / deps.speed)
}

async function replyTo(deps: OperatorDeps, request: IncomingMessage): Promise<Reply> {
  try {
    const body = await readBody(request)
    if (body === undefined) return gate(413, 'Payload Too Large')
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
    )
    const [path = ''] = (request.url ?? '').split('?')
    const incoming: Incoming = { method: request.method ?? '', path, headers, body }
    return await answer(deps, incoming)
  } catch (error) {
    process.stderr.write(`simulator: ${error instanceof Error ? error.stack : error}\n`)
    return gate(500, 'Internal server error')
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
        'content-type': 'application/json;charset=utf-8',
        ...reply.headers,
      })
      response.end(JSON.stringify(reply.body))
      return
    case 'empty':
      response.writeHead(reply.status, { 'content-length': '0' }).end()
      return
    case 'html':
      response.writeHead(reply.status, { 'content-type': 'text/html; charset=utf-8' })
      response.end(reply.html)
      return
    case 'garbled':
      response.writeHead(reply.status, { 'content-type': 'application/json' })
      response.end('{"reference":"\u0000<html>502 upstream')
      return
    case 'lost': {
      const timer = setTimeout(() => response.destroy(), hold_ms)
      response.on('close', () => clearTimeout(timer))
    }
  }
}
