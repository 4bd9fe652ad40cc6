// Starts this dialect on a port of its own, so that its addresses are the operator's to the letter.
// It imitates the wire of FedaPay's API from public documents and its own client; it is not the
// operator.

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { writeReply } from '../../reply.ts'
import type { Chaos } from '../chaos.ts'
import type { Resolved, Resolving } from '../resolving.ts'
import { type Delivery, type Event, openEvents } from '../signed-events.ts'
import { ordinarySource, type Source, setDate } from '../source.ts'
import {
  type Books,
  keyOf,
  movedAmount,
  movedCurrency,
  openBooks,
  stateOf,
  type Webhook,
} from './books.ts'
import { announce, type OperatorDeps } from './operator.ts'
import { giveBack, queuePayouts, resolve } from './resolve.ts'
import { answer, type Incoming, type Reply } from './routes.ts'
import type { Kind } from './scenarios.ts'

export type FedapayOptions = Readonly<{
  /** 0: any free port. */
  port: number
  host?: string
  /** Divides every delay (default 1). */
  speed?: number
  misbehaves?: boolean
  /** The one key that it takes (default: that of any account). */
  secret_key?: string
  chaos?: Chaos
  /** Of what is by chance; absent: the machine's clock and bytes. */
  source?: Source
  /** File of its memory. Absent: it forgets when it stops. */
  journal?: string
}>

/** One line of its books; whole units. */
export type FedapayBook = Readonly<{
  kind: Kind
  id: number
  merchant_reference: string | null
  number: string
  amount: number
  currency: string
  status: string
  /** Its money was asked for. */
  is_asked: boolean
}>

export type Fedapay = Readonly<{
  /** Without a last slash. */
  url: string
  port: number
  books(): FedapayBook[]
  /** A webhook, as its owner adds one in the dashboard; answers its secret. */
  addWebhook(url: string): string
  /** From now on its events go there alone, signed with this. */
  setWebhook(webhook: Webhook): void
  /** Payouts that are started wait in its queue; what waits goes on when that is over. */
  queuePayouts(yes: boolean): void
  /** Its owner gives a transaction back on the dashboard. */
  giveBack(external_reference: string, how: 'WHOLE' | 'PART'): void
  /** A test ends what waits. */
  resolve(asked: Resolving): Resolved
  stop(): Promise<void>
}>

const body_bytes_max = 64 * 1024
const held_ms = 30_000

export async function startFedapay(options: FedapayOptions): Promise<Fedapay> {
  const { host = '127.0.0.1', speed = 1, misbehaves = false } = options
  if (!(speed > 0)) throw new Error('speed must be greater than 0')
  const { source = ordinarySource } = options
  const { now } = source
  const books = openBooks(options.journal)
  const events = openEvents({ chaos: options.chaos, now, write: writeEvent })
  let url = ''
  const deps: OperatorDeps = {
    ...{ speed, misbehaves, books, events, now, secret_key: options.secret_key },
    idFor: numbersOf(books, options.source),
    chaos: options.chaos,
    asked: new Map(),
    queues: { payouts: false },
    url: () => url,
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
  for (const thing of books.things.values()) if (thing.asked_at > 0) void announce(deps, thing)
  return {
    url,
    port,
    books: () =>
      [...books.things.values()].map((thing) => ({
        ...{ kind: thing.kind, id: thing.id, number: thing.number },
        merchant_reference: thing.merchant_reference,
        ...{ amount: movedAmount(thing, deps), currency: movedCurrency(thing) },
        status: stateOf(thing, deps, now()).status,
        is_asked: thing.asked_at > 0,
      })),
    addWebhook(to) {
      const secret = `wh_sandbox_${source.random(`secret ${to}`, 16).toString('hex')}`
      books.keep({ webhook: { url: to, secret } })
      return secret
    },
    setWebhook(webhook) {
      const [known, ...others] = [...books.webhooks.values()]
      const isSo = known?.url === webhook.url && known.secret === webhook.secret
      if (!isSo || others.length > 0) books.keep({ only_webhook: webhook })
    },
    queuePayouts: (yes) => queuePayouts(deps, yes),
    giveBack: (external_reference, how) => giveBack(deps, external_reference, how),
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

/** Counted; where chance is given, drawn by what each is called, so that none shows others. */
const numbersOf = (books: Books, source: Source | undefined): OperatorDeps['idFor'] =>
  source === undefined
    ? (kind) => books.nextId(kind)
    : function drawn(kind, about): number {
        const id = 1 + source.random(`id ${kind} ${about}`, 4).readUInt32BE()
        return books.things.has(keyOf({ kind, id })) ? drawn(kind, about) : id
      }

function writeEvent({ type, object, how }: Event, time_s: number, secret: string): Delivery {
  const entity = object()
  const [kind = ''] = type.split('.')
  const body = JSON.stringify({ name: type, object: kind, object_id: entity['id'], entity })
  const mac = createHmac('sha256', secret).update(`${time_s}.${body}`).digest('hex')
  const headers: Record<string, string> =
    how === 'unsigned' ? {} : { 'x-fedapay-signature': `t=${time_s},s=${mac}` }
  return { body, headers }
}

async function serve(deps: OperatorDeps, request: IncomingMessage, response: ServerResponse) {
  const reply = await replyTo(deps, request)
  if (!response.destroyed) write(response, reply, held_ms / deps.speed)
}

async function replyTo(deps: OperatorDeps, request: IncomingMessage): Promise<Reply> {
  try {
    const body = await readBody(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
    )
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost')
    const incoming: Incoming = { method: request.method ?? '', path, query, headers, body }
    return await answer(deps, incoming)
  } catch (error) {
    process.stderr.write(`simulator: ${error instanceof Error ? error.stack : error}\n`)
    return { is: 'json', status: 500, body: { message: 'Erreur interne' } }
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= body_bytes_max) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function write(response: ServerResponse, reply: Reply, hold_ms: number): void {
  if (reply.is === 'json') {
    response.writeHead(reply.status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify(reply.body))
  } else if (reply.is === 'page' || reply.is === 'see_other') {
    writeReply(response, reply, hold_ms)
  } else if (reply.is === 'garbled') {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"v1/payouts":[{"id":\u0000<html>')
  } else {
    const timer = setTimeout(() => response.destroy(), hold_ms)
    response.on('close', () => clearTimeout(timer))
  }
}
