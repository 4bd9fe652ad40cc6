// Starts this dialect on a port of its own, so that its addresses are the operator's to the letter.
// It imitates the wire of pawaPay's merchant API from public documents; it is not the operator.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Chaos } from '../chaos.ts'
import type { Resolved, Resolving } from '../resolving.ts'
import { ordinarySource, type Source, setDate } from '../source.ts'
import { openBooks } from './books.ts'
import { openCallbacks } from './callbacks.ts'
import type { OperatorDeps } from './operator.ts'
import { movedAmount, type Pace, type Payment, stateAt } from './payment.ts'
import { type Condition, conditionKey } from './providers.ts'
import { json, type Reply, writeReply } from './reply.ts'
import { resolve } from './resolve.ts'
import { answer } from './routes.ts'
import type { Operation } from './scenarios.ts'
import type { SigningForm } from './sign.ts'
import type { CallerKey } from './verify-request.ts'

export type PawapayOptions = Readonly<{
  /** 0: any free port. */
  port: number
  host?: string
  /** Divides every delay (default 1). */
  speed?: number
  misbehaves?: boolean
  /** The one API token of the account. */
  token?: string
  /** Where callbacks of an operation go. */
  callbacks?: Readonly<Partial<Record<Operation, string>>>
  form?: SigningForm
  /** Whole units that each country's wallet holds. */
  opening_balance?: number
  page_after_ms?: number
  chaos?: Chaos
  /** Of what is by chance; absent: the machine's clock and bytes. */
  source?: Source
  /** File of its memory. Absent: it forgets when it stops. */
  journal?: string
}>

/** One line of its books. */
export type PawapayBook = Readonly<
  Pick<Payment, 'operation' | 'id' | 'msisdn' | 'amount' | 'currency'> & { status: string }
>

export type Pawapay = Readonly<{
  /** Without a last slash. */
  url: string
  port: number
  token: string
  books(): PawapayBook[]
  /** As in its dashboard: one address for each operation. */
  setCallbacks(addresses: Readonly<Partial<Record<Operation, string>>>): void
  signCallbacks(yes: boolean): void
  /** From now on it signs with a further key. */
  rotateKey(): void
  /** From now on payouts wait in its queue; those that wait go on when it is over. */
  delayPayouts(yes: boolean): void
  /** From now on requests that move money must be signed by this key; undefined: by none. */
  demandSignatures(key: CallerKey | undefined): void
  /** From now on pages are not ready; those that are awaited are there when it is over. */
  delayPages(yes: boolean): void
  /** From now on one provider takes other sums, or works otherwise, in one kind of operation. */
  setCondition(provider: string, operation: Operation, to: Condition): void
  /** From now on so many whole units are in each wallet, beside what moved. */
  holdFloat(units: number): void
  /** A test ends what waits. */
  resolve(asked: Resolving): Resolved
  stop(): Promise<void>
}>

const body_bytes_max = 64 * 1024
const held_ms = 30_000
/** The same for each start without another: it opens nothing but this imitation. */
const standardToken = 'simulated.token.of.the.dialect'

type State = {
  signs: boolean
  opening_balance: number
  url: string
  caller_key: CallerKey | undefined
}

/** How the account is set up, from now on. */
const settingOf = (
  state: State,
): Pick<Pawapay, 'signCallbacks' | 'demandSignatures' | 'holdFloat'> => ({
  signCallbacks: (yes) => {
    state.signs = yes
  },
  demandSignatures: (key) => {
    state.caller_key = key
  },
  holdFloat: (units) => {
    state.opening_balance = units
  },
})

export async function startPawapay(options: PawapayOptions): Promise<Pawapay> {
  const { host = '127.0.0.1', speed = 1, token = standardToken } = options
  if (!(speed > 0)) throw new Error('speed must be greater than 0')
  const { source = ordinarySource } = options
  const { now } = source
  const books = openBooks(options.journal, source)
  const addresses = new Map<Operation, string>()
  const delays = { payouts: false, pages: false }
  const state: State = {
    ...{ signs: true, opening_balance: options.opening_balance ?? 100_000_000, url: '' },
    caller_key: undefined,
  }
  const pace = (): Pace => ({ speed, misbehaves: options.misbehaves ?? false, url: state.url })
  const callbacks = openCallbacks({
    ...{ pace, chaos: options.chaos, now, signs: () => state.signs },
    addressOf: (operation) => addresses.get(operation) ?? '',
    key: () => books.keys().at(-1) ?? books.addKey(),
    form: options.form ?? { signature: 'der', digest: 'sha-512' },
    find: (id) => books.payments.get(id),
  })
  const change = (one: Payment): Promise<void> => {
    books.keep(one)
    const { page_at = 0 } = one
    if (page_at > 0 && one.decided === undefined) {
      setTimeout(() => void callbacks.send(one), page_at - now()).unref()
    }
    return callbacks.schedule(one)
  }
  const deps: OperatorDeps = {
    ...{ pace, books, token, delays, change, now, asked: new Map() },
    ...{ conditions: new Map(), chaos: options.chaos },
    send: callbacks.send,
    opening_balance: () => state.opening_balance,
    page_after_ms: options.page_after_ms ?? 400,
    callback_of: (operation) => addresses.get(operation) ?? '',
    signs: () => state.signs,
    caller_key: () => state.caller_key,
  }
  const server = createServer((request, response) => {
    setDate(response, source)
    void replyTo(deps, request).then((reply) => {
      if (!response.destroyed) writeReply(response, reply, held_ms / speed)
    })
  })
  server.listen(options.port, host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  state.url = `http://${host}:${port}`
  setAddresses(addresses, options.callbacks ?? {})
  callbacks.resume(books.payments.values())
  return {
    ...{ url: state.url, port, token },
    books: () => [...books.payments.values()].map((one) => lineOf(one, pace(), now())),
    setCallbacks: (given) => setAddresses(addresses, given),
    rotateKey: () => void books.addKey(),
    ...settingOf(state),
    ...steeringOf(deps, delays),
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

/** What waits goes on when the delay is over. */
function steeringOf(
  { books, pace, now, change, conditions }: OperatorDeps,
  delays: { payouts: boolean; pages: boolean },
): Pick<Pawapay, 'delayPayouts' | 'delayPages' | 'setCondition'> {
  const changeAll = (those: (one: Payment) => boolean, how: (one: Payment) => Payment): void => {
    for (const one of [...books.payments.values()].filter(those)) void change(how(one))
  }
  return {
    setCondition: (provider, operation, to) =>
      void conditions.set(conditionKey(provider, operation), to),
    delayPayouts(yes) {
      delays.payouts = yes
      const isEnqueued = (one: Payment) => stateAt(one, pace(), now()).status === 'ENQUEUED'
      if (!yes) changeAll(isEnqueued, (one) => ({ ...one, released_at: now() }))
    },
    delayPages(yes) {
      delays.pages = yes
      const isAwaited = ({ page_at }: Payment) => page_at === 0
      if (!yes) changeAll(isAwaited, (one) => ({ ...one, page_at: now() }))
    },
  }
}

const lineOf = (one: Payment, pace: Pace, now_ms: number): PawapayBook => ({
  ...{ operation: one.operation, id: one.id, msisdn: one.msisdn, currency: one.currency },
  amount: movedAmount(one, pace),
  status: stateAt(one, pace, now_ms).status,
})

function setAddresses(
  addresses: Map<Operation, string>,
  given: Readonly<Partial<Record<Operation, string>>>,
): void {
  for (const operation of ['deposits', 'payouts', 'refunds'] as const) {
    const address = given[operation]
    if (address !== undefined) addresses.set(operation, address)
  }
}

async function replyTo(deps: OperatorDeps, request: IncomingMessage): Promise<Reply> {
  try {
    const body = await readRequest(request)
    if (body === undefined) return json(413, { error: 'Payload Too Large' })
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
    )
    const [path = '', query = ''] = (request.url ?? '').split('?')
    const method = request.method ?? ''
    return await answer(deps, { method, path, query: new URLSearchParams(query), headers, body })
  } catch (error) {
    process.stderr.write(`simulator: ${error instanceof Error ? error.stack : error}\n`)
    return json(500, { error: 'Internal Server Error' })
  }
}

async function readRequest(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= body_bytes_max) chunks.push(chunk)
  }
  return bytes > body_bytes_max ? undefined : Buffer.concat(chunks).toString('utf8')
}
