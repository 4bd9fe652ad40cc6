// The streams of hints of one process. Law: however many there are, one statement a second reads
// for all of them and one in ten seconds asks who may still follow; nothing that makes an event
// waits for them; and each ends: with its session or key, with its time, with the process, or when
// its reader does not read.

import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Db } from '../../platform/db.ts'
import { refuse, type Text } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import {
  heartbeatText,
  hintText,
  networksText,
  openingText,
  readyText,
  resyncText,
} from './hint.ts'
import { type Followed, type News, readNews } from './store.ts'

/** Who follows, as they were admitted. */
export type Follower = Pick<
  Caller,
  'merchant_id' | 'environment' | 'session' | 'member_id' | 'api_key_id' | 'ip'
>

export type StreamLimits = Readonly<{
  /** Of one session or key, of one merchant, and of the process. */
  of_credential: number
  of_merchant: number
  at_once: number
  read_ms: number
  recheck_ms: number
  networks_ms: number
  heartbeat_ms: number
  /** A tenth more or less, so that those that began together do not end together. */
  life_ms: number
  /** Events sent one by one; of more, only that there were more. */
  hints_at_once: number
  /** What may lie unread before the reader is cut off. */
  unread_bytes: number
}>

const streamLimits: StreamLimits = {
  of_credential: 6,
  of_merchant: 100,
  at_once: 1_000,
  read_ms: 1_000,
  recheck_ms: 10_000,
  networks_ms: 5_000,
  heartbeat_ms: 15_000,
  life_ms: 600_000,
  hints_at_once: 100,
  unread_bytes: 65_536,
}

export type StreamDeps = Readonly<{
  db: Db
  /** For each of them, whether they would still be admitted as they were; counts no call. */
  areAdmitted: (followers: readonly Follower[]) => Promise<boolean[]>
  /** How the networks of an environment do, in one text: another one is a change. */
  networksOf: (environment: Follower['environment']) => Promise<string>
  /** Called with the number of streams whenever it changes. */
  onCount: (count: number) => void
  log: Logger
  limits?: Partial<StreamLimits>
}>

export type Streams = Readonly<{
  /** `after`: the last sequence that the follower knows; absent: from now on. */
  open(follower: Follower, after: bigint | undefined): Readable
  /** Ends all of them at once, and whatever is opened from now on. */
  stop(): void
}>

type Stream = {
  readonly follower: Follower
  readonly file: Readable
  /** What was sent up to; undefined until the end of the feed is known. */
  place: bigint | undefined
  is_ready: boolean
  written_ms: number
  readonly ends_ms: number
  /** Nothing more is written. */
  is_over: boolean
}

const retry_after_s = 30
/** The end of a stream on its way to its reader. */
const last_words_ms = 1_000

const busyText: Text = {
  en: 'Too many streams are open. Close one, or poll /events/ until one has ended.',
  fr: 'Trop de flux sont ouverts. Fermez-en un, ou interrogez /events/ en attendant.',
}

export function streamsOn(deps: StreamDeps): Streams {
  return new OpenStreams(deps, { ...streamLimits, ...deps.limits })
}

const feedOf = ({ merchant_id, environment }: Follower | News): string =>
  `${merchant_id} ${environment}`

const credentialOf = ({ session, api_key_id }: Follower): string => session?.id ?? api_key_id ?? ''

class OpenStreams implements Streams {
  readonly #deps: StreamDeps
  readonly #limits: StreamLimits
  readonly #open = new Set<Stream>()
  #timer: NodeJS.Timeout | undefined
  #is_busy = false
  #is_over = false
  #rechecked_ms = 0
  #compared_ms = 0
  readonly #networks = new Map<Follower['environment'], string>()

  constructor(deps: StreamDeps, limits: StreamLimits) {
    this.#deps = deps
    this.#limits = limits
  }

  open(follower: Follower, after: bigint | undefined): Readable {
    const { life_ms, read_ms } = this.#limits
    this.#refuseTooMany(follower)
    const file = new Readable({ read: () => undefined })
    file.push(openingText(2_000 + Math.round(3_000 * Math.random())))
    if (this.#is_over) {
      file.push(null)
      return file
    }
    const now = performance.now()
    const ends_ms = now + life_ms * (0.9 + 0.2 * Math.random())
    const begun = { place: after, is_ready: false, written_ms: now, ends_ms, is_over: false }
    const stream: Stream = { follower, file, ...begun }
    this.#open.add(stream)
    file.once('close', () => this.#forget(stream))
    this.#deps.onCount(this.#open.size)
    this.#timer ??= setInterval(() => void this.#turn(), read_ms).unref()
    return file
  }

  stop(): void {
    this.#is_over = true
    for (const stream of this.#open) this.#end(stream)
  }

  /** What was written may still be read, but nobody waits for a reader who does not read. */
  #end(stream: Stream): void {
    if (stream.is_over) return
    stream.is_over = true
    stream.file.push(null)
    const cut = setTimeout(() => stream.file.destroy(), last_words_ms)
    stream.file.once('close', () => clearTimeout(cut))
  }

  #refuseTooMany(follower: Follower): void {
    const { of_credential, of_merchant, at_once } = this.#limits
    const all = [...this.#open].map((one) => one.follower)
    const count = (is: (other: Follower) => boolean) => all.filter(is).length
    const isFull =
      all.length >= at_once ||
      count((other) => other.merchant_id === follower.merchant_id) >= of_merchant ||
      count((other) => credentialOf(other) === credentialOf(follower)) >= of_credential
    if (isFull) throw refuse(accessErrors.rate_limited, { message: busyText, retry_after_s })
  }

  #forget(stream: Stream): void {
    this.#open.delete(stream)
    this.#deps.onCount(this.#open.size)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** A turn that takes longer than a second is waited for: one statement is under way at most. */
  async #turn(): Promise<void> {
    if (this.#is_busy || this.#is_over) return
    this.#is_busy = true
    try {
      await this.#tellNews()
      await this.#recheck()
      await this.#tellNetworks()
    } catch (err) {
      this.#deps.log.warn({ err }, 'streams were not read for; they will be')
    } finally {
      this.#keepTime()
      this.#is_busy = false
    }
  }

  async #tellNews(): Promise<void> {
    const asked = [...this.#open]
    const feeds = this.#followed(asked)
    if (feeds.length === 0) return
    const news = await readNews(this.#deps.db, feeds, this.#limits.hints_at_once)
    const byFeed = new Map(news.map((one) => [feedOf(one), one]))
    const texts = new Map<string, Buffer>()
    for (const stream of asked) this.#tell(stream, byFeed.get(feedOf(stream.follower)), texts)
  }

  /** Each feed once, from the place of the one who knows least of it. */
  #followed(asked: readonly Stream[]): Followed[] {
    const feeds = new Map<string, Followed>()
    for (const { follower, place, is_ready } of asked) {
      const { merchant_id, environment } = follower
      const known = feeds.get(feedOf(follower))
      feeds.set(feedOf(follower), {
        ...{ merchant_id, environment },
        place: least(known?.place, place),
        is_end_wanted: known?.is_end_wanted === true || !is_ready,
      })
    }
    return [...feeds.values()]
  }

  /** `texts`: what has been written for those who knew as much of the same feed. */
  #tell(stream: Stream, news: News | undefined, texts: Map<string, Buffer>): void {
    const { follower, place, is_ready } = stream
    // Only a feed that nothing has happened in yet is not found, by those who look for its end.
    const end = news?.last_seq ?? (is_ready ? undefined : 0n)
    if (end === undefined || (is_ready && end === place)) return
    const name = `${feedOf(follower)} ${place} ${is_ready}`
    const text = texts.get(name) ?? Buffer.from(this.#textOf(stream, end, news?.events ?? []))
    texts.set(name, text)
    stream.place = end
    stream.is_ready = true
    this.#write(stream, text)
  }

  #textOf({ place, is_ready }: Stream, end: bigint, events: News['events']): string {
    const beginning = is_ready ? '' : readyText(place !== undefined && place < end ? place : end)
    if (place === undefined || place === end) return beginning
    const isFar = place > end || end - place > BigInt(this.#limits.hints_at_once)
    if (isFar) return beginning + resyncText(end)
    const hints = events.filter(({ seq }) => seq > place).map(hintText)
    return beginning + hints.join('')
  }

  #write(stream: Stream, text: Buffer): void {
    const { file } = stream
    if (text.length === 0 || stream.is_over || file.destroyed) return
    stream.written_ms = performance.now()
    file.push(text)
    if (file.readableLength > this.#limits.unread_bytes) file.destroy()
  }

  /** Whoever would not be admitted any more, or not as before, is sent nothing more. */
  async #recheck(): Promise<void> {
    const now = performance.now()
    if (now - this.#rechecked_ms < this.#limits.recheck_ms || this.#open.size === 0) return
    this.#rechecked_ms = now
    const asked = [...this.#open]
    const admitted = await this.#deps.areAdmitted(asked.map(({ follower }) => follower))
    for (const [at, stream] of asked.entries()) if (admitted[at] !== true) this.#end(stream)
  }

  /** To all whose environment it is: a network is nobody's own. */
  async #tellNetworks(): Promise<void> {
    const now = performance.now()
    if (now - this.#compared_ms < this.#limits.networks_ms) return
    this.#compared_ms = now
    for (const environment of ['SANDBOX', 'LIVE'] as const) {
      const known = this.#networks.get(environment)
      const networks = await this.#deps.networksOf(environment)
      this.#networks.set(environment, networks)
      if (known === undefined || known === networks) continue
      for (const stream of this.#open) {
        const { place, follower } = stream
        if (follower.environment !== environment || place === undefined) continue
        this.#write(stream, Buffer.from(networksText(place)))
      }
    }
  }

  #keepTime(): void {
    const now = performance.now()
    for (const stream of this.#open) {
      if (now >= stream.ends_ms) this.#end(stream)
      else if (now - stream.written_ms >= this.#limits.heartbeat_ms) {
        this.#write(stream, heartbeat)
      }
    }
  }
}

const heartbeat = Buffer.from(heartbeatText)

function least(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
