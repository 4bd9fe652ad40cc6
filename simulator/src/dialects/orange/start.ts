// Starts this dialect on a port of its own, so that its addresses are the operator's to the letter.
// It imitates Orange Money Web Payment from what others write of it; it is not the operator.

import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Chaos } from '../chaos.ts'
import { ordinarySource, type Source, setDate } from '../source.ts'
import { openBooks, type Payment, statusAt, txnidOf } from './payments.ts'
import { answer, type OperatorDeps, type Reply } from './routes.ts'
import { scenarioOf } from './scenarios.ts'

export type OrangeOptions = Readonly<{
  /** 0: any free port. */
  port: number
  host?: string
  /** Divides every delay (default 1). */
  speed?: number
  country_path?: string
  currency?: string
  page_life_s?: number
  token_life_s?: number
  /** Payers act by themselves, as the last digits of the amount say. */
  plays?: boolean
  /** How its notices are sent; `forged` brings another token first. */
  notices?: 'once' | 'twice' | 'none' | 'forged'
  chaos?: Chaos
  /** Of what is by chance; absent: the machine's clock and bytes. */
  source?: Source
  /** File of its memory. Absent: it forgets when it stops. */
  journal?: string
}>

/** One line of its books. */
export type OrangeBook = Readonly<{
  order_id: string
  amount: number
  currency: string
  status: string
  page: string
}>

export type Orange = Readonly<{
  /** Without a last slash. */
  url: string
  port: number
  client_id: string
  client_secret: string
  merchant_key: string
  books(): OrangeBook[]
  /** From here on. */
  behave(how: Pick<OrangeOptions, 'notices' | 'plays'>): void
  /** Makes the next payments, and loses the answers. */
  loseCreates(count: number): void
  /** Ends every token that it gave. */
  dropTokens(): void
  tokensIssued(): number
  /** How many notices have been delivered, or given up. */
  told(): number
  stop(): Promise<void>
}>

type Notices = NonNullable<OrangeOptions['notices']>

const held_ms = 30_000
const access = {
  client_id: 'imitation-client',
  client_secret: 'imitation-secret',
  merchant_key: 'imitation-merchant',
}

export async function startOrange(options: OrangeOptions): Promise<Orange> {
  const { host = '127.0.0.1', speed = 1, source = ordinarySource } = options
  const { now, random } = source
  const ways = { notices: options.notices ?? 'once', plays: options.plays ?? false, told: 0 }
  if (!(speed > 0)) throw new Error('speed must be greater than 0')
  let url = ''
  const loses = { creates: 0 }
  const report = async (one: Payment, notices: Notices) => {
    ways.told += await sendNotices(deps, one, notices)
  }
  const timers = new Set<NodeJS.Timeout>()
  const deps: OperatorDeps = {
    ...{ ...access, loses, books: openBooks(options.journal), chaos: options.chaos },
    country_path: options.country_path ?? 'dev',
    currency: options.currency ?? 'OUV',
    life_ms: ((options.page_life_s ?? 600) * 1000) / speed,
    token_life_s: options.token_life_s ?? 3_600,
    ...{ tokens: new Map(), asked: new Map(), url: () => url, now, random, speed },
    plays: () => ways.plays,
    notify: (one) => void report(one, ways.notices),
    play: (one) => {
      for (const { at } of one.acts.filter(({ does }) => does !== 'open')) {
        const { notices } = scenarioOf(one.amount, ways.plays)
        const how = notices === 'twice' ? notices : ways.notices
        const send = () => {
          timers.delete(timer)
          void report(one, how)
        }
        const timer = setTimeout(send, Math.max(0, at - now()))
        timers.add(timer)
      }
    },
  }
  // What payers were about to do when it stopped is told once they have done it.
  for (const one of deps.books.payments.values()) {
    if (one.acts.some(({ at }) => at > now())) deps.play(one)
  }
  const server = createServer((request, response) => void serve(deps, request, response, speed))
  server.listen(options.port, host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  url = `http://${host}:${port}`
  return {
    ...{ ...access, url, port },
    books: () =>
      [...deps.books.payments.values()].map((one) => ({
        ...{ order_id: one.order_id, amount: one.amount, currency: one.currency },
        status: statusAt(one, deps.life_ms, now()),
        page: `${url}/payment/pay_token/${one.pay_token}`,
      })),
    behave: (how) => void Object.assign(ways, how),
    loseCreates: (count) => {
      loses.creates = count
    },
    dropTokens: () => {
      for (const token of deps.tokens.keys()) deps.tokens.set(token, 0)
    },
    tokensIssued: () => deps.tokens.size,
    told: () => ways.told,
    async stop() {
      for (const timer of timers) clearTimeout(timer)
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function sendNotices(deps: OperatorDeps, one: Payment, notices: Notices): Promise<number> {
  if (notices === 'none') return 0
  const status = statusAt(one, deps.life_ms, deps.now())
  const body = (notif_token: string) =>
    JSON.stringify({ status, notif_token, txnid: status === 'SUCCESS' ? txnidOf(one) : '' })
  if (notices === 'forged') await post(one.notif_url, body('0'.repeat(32)))
  await post(one.notif_url, body(one.notif_token))
  if (notices === 'twice') await post(one.notif_url, body(one.notif_token))
  return notices === 'once' ? 1 : 2
}

function post(url: string, body: string): Promise<void> {
  return new Promise((resolve) => {
    const target = new URL(url)
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const options = { method: 'POST', headers, timeout: 5_000 }
    const request =
      target.protocol === 'https:' ? requestHttps(target, options) : requestHttp(target, options)
    request.on('response', (response) => response.resume())
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve())
    request.on('close', () => resolve())
    request.end(body)
  })
}

async function serve(
  deps: OperatorDeps,
  request: IncomingMessage,
  response: ServerResponse,
  speed: number,
): Promise<void> {
  setDate(response, deps)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
  )
  const [path = ''] = (request.url ?? '').split('?')
  const body = Buffer.concat(chunks).toString('utf8')
  const reply = answer(deps, { method: request.method ?? '', path, headers, body })
  if (!response.destroyed) write(response, reply, held_ms / speed)
}

function write(response: ServerResponse, reply: Reply, hold_ms: number): void {
  switch (reply.is) {
    case 'json':
      response.writeHead(reply.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(reply.body))
      return
    case 'garbage':
      response.writeHead(201, { 'content-type': 'application/json' })
      response.end('{"status":201,"message":"OK","pay_tok')
      return
    case 'html':
      response.writeHead(reply.status, { 'content-type': 'text/html; charset=utf-8' })
      response.end(reply.html)
      return
    case 'elsewhere':
      response.writeHead(303, { location: reply.url }).end()
      return
    case 'lost': {
      const timer = setTimeout(() => response.destroy(), hold_ms)
      response.on('close', () => clearTimeout(timer))
    }
  }
}
