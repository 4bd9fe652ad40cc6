// The one HTTP client for outgoing calls. Law (money 1): a network condition is an answer, never an
// exception, and "never sent" is reported only with proof: undici had not begun to write the
// request. No redirects, no proxy but one that is given, bounded time and size.

import { buildConnector, type Dispatcher } from 'undici'
import { assert } from '../errors.ts'
import {
  createAgent,
  createProxyAgent,
  dialOptions,
  type OutboundProxy,
  proxy_fault_code,
} from './agents.ts'
import {
  answer_bytes_max,
  long_answer_bytes_max,
  long_body_bytes_max,
  too_long_code,
} from './bounded-answers.ts'
import { type OwnTls, readOwnCertificate } from './own-certificate.ts'

export type SendRequest = Readonly<{
  method: string
  /** Absolute http(s), without user or password. */
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** From the call of `send` to the last byte of the answer: a slow drip ends with it. */
  timeout_ms: number
  /** To an open connection (name, TCP and TLS). Default 10 s, never longer than `timeout_ms`. */
  connect_timeout_ms?: number
  /** Bound of the answer's body, default 64 KB, at most 2 MB. Beyond it, reading stops. */
  max_bytes?: number
  /** A longer body is cut at `max_bytes` and still `answered`; otherwise it is `unreadable`. */
  truncate?: boolean
  /**
   * What it counts as among those that its receiver allows. Absent: a GET asks, all else creates.
   */
  pace?: 'ask' | 'create' | 'other'
}>

export type SendResult =
  | {
      is: 'answered'
      status: number
      /** Names in lower case; repeated ones with commas between. */
      headers: Readonly<Record<string, string>>
      body: string
      took_ms: number
    }
  /**
   * Proof that no byte of the request has left this machine. `refused` includes "no way to that
   * network"; `proxy`: the proxy let us through to nobody; `pace`: there was no room for it among
   * those that its receiver allows.
   */
  | { is: 'never_sent'; because: 'dns' | 'refused' | 'tls' | 'connect_timeout' | 'proxy' | 'pace' }
  /** The request may have arrived. */
  | { is: 'unknown'; because: 'timeout' | 'reset' | 'unreadable' }

export type Outbound = Readonly<{
  /** Throws only for a bug: a bad URL or header, a call inside a transaction or after `close`. */
  send(request: SendRequest): Promise<SendResult>
  /** Lets calls in flight end (their time-outs hold), then closes every connection. */
  close(): Promise<void>
}>

export type OutboundDeps = OwnTls &
  Readonly<{
    /** Throws when a database transaction is open in this call chain (docs/STYLE.md). */
    assertNoTransaction: () => void
    /** Every call goes through it. Absent: straight to its receiver. */
    proxy?: OutboundProxy
  }>

const connect_timeout_default_ms = 10_000
const max_bytes_default = 64 * 1024
const header_bytes_max = 16 * 1024

export function createOutbound({ assertNoTransaction, proxy, ...tls }: OutboundDeps): Outbound {
  const straight = (most: number) => createAgent(buildConnector(dialOptions(tls)), most)
  const open = (most: number) =>
    openClient(proxy === undefined ? straight(most) : createProxyAgent(proxy, tls, most))
  // What is asked for as long comes over connections of its own: only those may bring so much.
  const [client, long] = [open(answer_bytes_max), open(long_answer_bytes_max)]
  const own = readOwnCertificate(tls)
  return {
    async send(request) {
      assertNoTransaction()
      if (own?.fault(Date.now()) !== undefined) return { is: 'never_sent', because: 'tls' }
      const { max_bytes = max_bytes_default } = request
      assert(max_bytes <= long_body_bytes_max, 'outbound: a body that no connection brings')
      return (max_bytes > max_bytes_default ? long : client).send(request)
    },
    async close() {
      await Promise.all([client.close(), long.close()])
    },
  }
}

/** Calls over one agent. `close` waits for answers, not for dials that were given up. */
export function openClient(agent: Dispatcher): Outbound {
  const calls = new Set<Promise<SendResult>>()
  let closing: Promise<void> | undefined
  return {
    async send(request) {
      assert(closing === undefined, 'outbound: a call after close')
      const call = exchange(agent, request)
      calls.add(call)
      const forget = () => calls.delete(call)
      call.then(forget, forget)
      return call
    },
    close() {
      closing ??= Promise.allSettled(calls).then(() => agent.destroy())
      return closing
    },
  }
}

/** One request, one answer. Rejects for bugs, and for an error that the agent's dialler made. */
export function exchange(agent: Dispatcher, request: SendRequest): Promise<SendResult> {
  return new Promise((resolve, reject) => {
    const url = new URL(request.url)
    assert(url.protocol === 'http:' || url.protocol === 'https:', 'outbound: not http(s)')
    assert(url.username === '' && url.password === '', 'outbound: a URL with a password')
    const options: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method as Dispatcher.HttpMethod, // undici checks that it is a token
      headers: request.headers ?? {},
      body: request.body ?? null,
    }
    agent.dispatch(options, new Exchange(url, request, { resolve, reject }))
  })
}

type Ends = { resolve: (result: SendResult) => void; reject: (error: Error) => void }

/** Follows one request through undici and settles exactly once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #started_at = performance.now()
  readonly #tls: boolean
  readonly #max_bytes: number
  readonly #truncate: boolean
  readonly #ends: Ends
  readonly #timers: NodeJS.Timeout[]
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #status = 0
  #headers: Record<string, string> = {}
  #settled = false
  /** Set just before the first byte is written: from here on the outcome may be unknown. */
  #controller: Dispatcher.DispatchController | undefined

  constructor(url: URL, request: SendRequest, ends: Ends) {
    this.#tls = url.protocol === 'https:'
    this.#max_bytes = request.max_bytes ?? max_bytes_default
    this.#truncate = request.truncate ?? false
    this.#ends = ends
    const connect_ms = request.connect_timeout_ms ?? connect_timeout_default_ms
    this.#timers = [
      setTimeout(() => this.#onConnectTimeout(), Math.min(connect_ms, request.timeout_ms)),
      setTimeout(() => this.#onTimeout(), request.timeout_ms),
    ]
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    if (this.#settled) {
      // Given up while connecting: "never sent" was answered, so it must stay true.
      controller.abort(new Error('given up before it was sent'))
      return
    }
    if (this.#controller !== undefined) {
      // undici would write the request a second time on a new connection: money could move twice.
      this.#settle({ is: 'unknown', because: 'reset' })
      controller.abort(new Error('never sent twice'))
      return
    }
    this.#controller = controller
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ) {
    if (status < 200) return // 102 and 103 announce an answer, they are none.
    this.#status = status
    const entries = Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ])
    this.#headers = Object.fromEntries(entries)
    if (JSON.stringify(entries).length <= header_bytes_max) return
    this.#settle({ is: 'unknown', because: 'unreadable' })
    controller.abort(new Error('the headers are too long'))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#settled) return
    const room = this.#max_bytes - this.#bytes
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#bytes += chunk.length
    if (chunk.length <= room) return
    if (this.#truncate) this.#settleAnswered({ stream: true })
    else this.#settle({ is: 'unknown', because: 'unreadable' })
    controller.abort(new Error('the answer is too long'))
  }

  onResponseEnd() {
    this.#settleAnswered({ stream: false })
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error) {
    if (this.#controller !== undefined) {
      this.#settle({ is: 'unknown', because: isUnreadable(error) ? 'unreadable' : 'reset' })
      return
    }
    const because = whyNeverSent(error, this.#tls)
    if (because !== undefined) {
      this.#settle({ is: 'never_sent', because })
      return
    }
    this.#close()
    this.#ends.reject(error)
  }

  #onConnectTimeout() {
    if (this.#controller !== undefined) return
    this.#settle({ is: 'never_sent', because: 'connect_timeout' })
  }

  #onTimeout() {
    this.#onConnectTimeout()
    this.#settle({ is: 'unknown', because: 'timeout' })
    this.#controller?.abort(new Error('time is up'))
  }

  /** `stream` drops the half of a character at which a body was cut. */
  #settleAnswered(decoding: { stream: boolean }) {
    this.#settle({
      is: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: new TextDecoder().decode(Buffer.concat(this.#chunks), decoding),
      took_ms: Math.round(performance.now() - this.#started_at),
    })
  }

  #settle(result: SendResult) {
    if (this.#settled) return
    this.#close()
    this.#ends.resolve(result)
  }

  #close() {
    this.#settled = true
    for (const timer of this.#timers) clearTimeout(timer)
  }
}

type NeverSent = Extract<SendResult, { is: 'never_sent' }>['because']

const dnsCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'])
const timeoutCodes = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])
const pathCodes = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL'],
  ...['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENOBUFS', 'EAFNOSUPPORT', 'EINVAL'],
])
/** Our errors, not the network's: a bad header, a call after `close`, an error without a code. */
const bugCodes = new Set([
  ...['', 'UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'],
  ...['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'],
])

/** Undefined: not a condition of the network, but a bug or a refusal of our own dialler. */
function whyNeverSent(error: Error, tls: boolean): NeverSent | undefined {
  const code = codeOf(error)
  if (code === proxy_fault_code) return 'proxy'
  if (bugCodes.has(code)) return undefined
  if (dnsCodes.has(code)) return 'dns'
  if (timeoutCodes.has(code)) return 'connect_timeout'
  if (pathCodes.has(code)) return 'refused'
  return tls ? 'tls' : 'refused' // Certificate and handshake codes are many, and OpenSSL's own.
}

function isUnreadable(error: Error): boolean {
  const code = codeOf(error)
  const is_parsing = error.name === 'HTTPParserError' || code.startsWith('UND_ERR_RES_')
  return is_parsing || code === too_long_code
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
