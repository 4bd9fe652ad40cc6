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
import type { PageCall, PageReply } from '../../page-frame.ts'
import { writeReply } from '../../reply.ts'
import type { Chaos } from '../chaos.ts'
import { late_ms } from '../payer-page.ts'
import type { Resolved, Resolving } from '../resolving.ts'
import { ordinarySource, type Source, setDate } from '../source.ts'
import { servePage } from './page.ts'
import { openBooks, type Payment, statusAt, txnidOf } from './payments.ts'
import { resolve } from './resolve.ts'
import { answer, type OperatorDeps, type Reply } from './routes.ts'
import { scenarioOf } from './scenarios.ts'

const held_ms = 30_000
const access = {
  client_id: 'imitation-client',
  client_secret: 'imitation-secret',
  merchant_key: 'imitation-merchant',
}

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
  /** What opens the account (default: that of every imitation). */
  access?: Partial<typeof access>
  /** Where browsers reach its pages, without a last slash (default: on its own port). */
  pages_at?: () => string
  /**
   * How its notices are sent; `forged` brings another token first, `foreign` another only, and
   * `bare` none.
   */
  notices?: 'once' | 'twice' | 'none' | 'forged' | 'foreign' | 'bare'
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
  /** Answers a payer, where its pages are not on its port. */
  page(call: PageCall): PageReply
  /** A test ends what waits. */
  resolve(asked: Resolving): Resolved
  stop(): Promise<void>
}>

type Notices = NonNullable<OrangeOptions['notices']>

export async function startOrange(options: OrangeOptions): Promise<Orange> {
  const { host = '127.0.0.1', speed = 1, source = ordinarySource } = options
  const { now, random } = source
  const ways = { notices: options.notices ?? 'once', plays: options.plays ?? false, told: 0 }
  if (!(speed > 0)) throw new Error('speed must be greater than 0')
  let url = ''
  const loses = { creates: 0 }
  const ours = { ...access, ...options.access }
  const pages_at = () => options.pages_at?.() ?? `${url}/payment/pay_token`
  const page_url = (pay_token: string) => `${pages_at()}/${pay_token}`
  const notices = openNotices(ways, now, (one, how) => sendNotices(deps, one, how))
  const deps: OperatorDeps = {
    ...{ ...ours, loses, books: openBooks(options.journal), chaos: options.chaos },
    country_path: options.country_path ?? 'dev',
    currency: options.currency ?? 'OUV',
    life_ms: ((options.page_life_s ?? 600) * 1000) / speed,
    token_life_s: options.token_life_s ?? 3_600,
    ...{ tokens: new Map(), asked: new Map(), page_url, now, random, speed },
    pages_elsewhere: options.pages_at !== undefined,
    plays: () => ways.plays,
    notify: (one, notice) => {
      if (notice === 'never') return
      notices.at(one, notice === 'late' ? now() + late_ms / speed : now(), ways.notices)
    },
    play: (one) => {
      const { notices: own } = scenarioOf(one.amount, ways.plays)
      for (const { at } of one.acts.filter(({ does }) => does !== 'open')) {
        notices.at(one, at, own === 'twice' ? own : ways.notices)
      }
    },
  }
  resume(deps)
  const server = createServer((request, response) => void serve(deps, request, response, speed))
  server.listen(options.port, host)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  url = `http://${host}:${port}`
  return {
    ...{ ...ours, url, port },
    books: () => booksOf(deps),
    behave: (how) => void Object.assign(ways, how),
    loseCreates: (count) => {
      loses.creates = count
    },
    dropTokens: () => {
      for (const token of deps.tokens.keys()) deps.tokens.set(token, 0)
    },
    tokensIssued: () => deps.tokens.size,
    told: () => ways.told,
    page: (call) => servePage(deps, call),
    resolve: (asked) => resolve(deps, asked),
    async stop() {
      notices.stop()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Timers of notices, and how many have gone out. */
function openNotices(
  ways: { told: number },
  now: Source['now'],
  send: (one: Payment, how: Notices) => Promise<number>,
) {
  const timers = new Set<NodeJS.Timeout>()
  return {
    at(one: Payment, time_ms: number, how: Notices): void {
      const timer = setTimeout(
        async () => {
          timers.delete(timer)
          ways.told += await send(one, how)
        },
        Math.max(0, time_ms - now()),
      )
      timers.add(timer)
    },
    stop(): void {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** What payers were about to do when it stopped, and what was to be reported later. */
function resume(deps: OperatorDeps): void {
  const now = deps.now()
  for (const one of deps.books.payments.values()) {
    if (one.acts.some(({ at }) => at > now)) deps.play(one)
    const late = one.acts.some(
      ({ at, notice }) => notice === 'late' && at + late_ms / deps.speed > now,
    )
    if (late) deps.notify(one, 'late')
  }
}

const booksOf = (deps: OperatorDeps): OrangeBook[] =>
  [...deps.books.payments.values()].map((one) => ({
    ...{ order_id: one.order_id, amount: one.amount, currency: one.currency },
    status: statusAt(one, deps.life_ms, deps.now()),
    page: deps.page_url(one.pay_token),
  }))

async function sendNotices(deps: OperatorDeps, one: Payment, notices: Notices): Promise<number> {
  if (notices === 'none') return 0
  const status = statusAt(one, deps.life_ms, deps.now())
  const txnid = status === 'SUCCESS' ? txnidOf(one) : ''
  const another = '0'.repeat(32)
  const tokens: Readonly<Record<Exclude<Notices, 'none'>, readonly (string | undefined)[]>> = {
    once: [one.notif_token],
    twice: [one.notif_token, one.notif_token],
    forged: [another, one.notif_token],
    foreign: [another],
    bare: [undefined],
  }
  // A field that is undefined is not written.
  for (const notif_token of tokens[notices]) {
    await post(one.notif_url, JSON.stringify({ status, notif_token, txnid }))
  }
  return tokens[notices].length
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
  const reply = await answer(deps, { method: request.method ?? '', path, headers, body })
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
    case 'page':
    case 'see_other':
      writeReply(response, reply, hold_ms)
      return
    case 'lost': {
      const timer = setTimeout(() => response.destroy(), hold_ms)
      response.on('close', () => clearTimeout(timer))
    }
  }
}
