// A fuzzed request as data, and its bytes. `~word~` stands for a thing of the world it is sent to
// (an id, a key), so that the same request can be sent again to another world.

export type Framing =
  /** The length is declared as it is. */
  | { is: 'length' }
  /** Nothing says that a body follows. */
  | { is: 'none' }
  | { is: 'chunked'; size: number }
  /** A lie. */
  | { is: 'said'; length: string }

export type FuzzRequest = Readonly<{
  index: number
  /** What was done to it. */
  label: string
  method: string
  /** Path and query as they stand in the request line. */
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer | undefined
  framing: Framing
  /** The whole of it, where it is no HTTP of ours; the rest is then for the reader only. */
  raw?: string
  /** What the document says that it may be answered; absent where the address was changed. */
  statuses?: readonly number[]
}>

/** What the words stand for in this world. `at` spreads requests over things of one kind. */
export type Places = Readonly<{
  find(word: string, at: number): string | undefined
  /** The operator's own signature, so that a callback is believed. */
  sign(timestamp: string, body: string): string
}>

export type Sent = Readonly<{
  bytes: Buffer
  /** Needs a connection of its own: what comes after it may not be read as a request. */
  alone: boolean
  /** A whole message, as far as we know: it must be answered. */
  whole: boolean
}>

const fill = (text: string, places: Places, at: number): string =>
  text.replace(/~([a-z_]+)~/g, (whole, word: string) => places.find(word, at) ?? whole)

// Headers that change how long a message is, or whose connection it is.
const steering =
  /^(connection|content-length|transfer-encoding|upgrade|expect|keep-alive|te|host)$/i

export function toBytes(request: FuzzRequest, places: Places): Sent {
  const { index, raw } = request
  if (raw !== undefined) {
    return { bytes: Buffer.from(fill(raw, places, index), 'latin1'), alone: true, whole: false }
  }
  const filled = request.body && fill(request.body.toString('latin1'), places, index)
  const body = filled === undefined ? undefined : Buffer.from(filled, 'latin1')
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = request.headers.map(([name, value]) => [
    name,
    value === '~signature~'
      ? places.sign(timestamp, body?.toString() ?? '')
      : fill(value.replace('~now~', timestamp), places, index),
  ])
  const target = fill(request.target, places, index)
  const framed = frame(request.framing, body)
  const lines = [...headers, ...framed.headers].map(([name, value]) => `${name}: ${value}`)
  const head = `${[`${request.method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
  const alone =
    isOdd(request.method + target) ||
    headers.some(([name = '', value = '']) => isOdd(name + value) || isSteering(name)) ||
    !isWhole(request)
  return {
    bytes: Buffer.concat([Buffer.from(head), ...framed.parts]),
    alone,
    whole: isWhole(request),
  }
}

/** Nobody knows whether bytes are a message; a false length declares that they are none yet. */
export const isWhole = ({ raw, framing, body }: FuzzRequest): boolean =>
  raw === undefined && framing.is !== 'said' && (framing.is !== 'none' || body === undefined)

const isSteering = (name: string): boolean => steering.test(name.trim()) && name !== 'Host'

/** Control characters, which may end a line or a message too early. */
const isOdd = (text: string): boolean => /\p{Cc}/u.test(text)

type Framed = { headers: (readonly [string, string])[]; parts: readonly Buffer[] }

function frame(framing: Framing, body: Buffer | undefined): Framed {
  if (body === undefined && framing.is !== 'said') return { headers: [], parts: [] }
  const bytes = body ?? Buffer.alloc(0)
  if (framing.is === 'none') return { headers: [], parts: [bytes] }
  if (framing.is === 'said') {
    return { headers: [['Content-Length', framing.length]], parts: [bytes] }
  }
  if (framing.is === 'length') {
    return { headers: [['Content-Length', String(bytes.length)]], parts: [bytes] }
  }
  return { headers: [['Transfer-Encoding', 'chunked']], parts: chunksOf(bytes, framing.size) }
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  const step = Math.max(1, size, Math.ceil(bytes.length / 1_000))
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += step) {
    const part = bytes.subarray(at, at + step)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return [...parts, Buffer.from('0\r\n\r\n')]
}
