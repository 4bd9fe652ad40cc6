// One HTTP answer out of the bytes of a connection. Strict: what is no HTTP/1.1 answer is reported
// as none, so that a server which splits or mixes answers is found out.

export type Answer = Readonly<{
  status: number
  /** Names in lower case; repeated ones joined by a comma. */
  headers: Readonly<Record<string, string>>
  body: Buffer
}>

export type Reading =
  | { is: 'answer'; answer: Answer; rest: Buffer; ends: boolean }
  | { is: 'incomplete' }
  | { is: 'broken'; why: string }

const blank = Buffer.from('\r\n\r\n')

/** `ended`: nothing more comes. `bodiless`: the answer to a HEAD. */
export function readAnswer(bytes: Buffer, how: { ended: boolean; bodiless: boolean }): Reading {
  const end = bytes.indexOf(blank)
  if (end < 0) return { is: 'incomplete' }
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [, digits] = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first) ?? []
  if (digits === undefined) return { is: 'broken', why: `no status line: ${first.slice(0, 80)}` }
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value = ''] = /^([!#-'*+.0-9A-Z^-z|~-]+): ?(.*)$/.exec(line) ?? []
    if (name === undefined) return { is: 'broken', why: `no header: ${line.slice(0, 80)}` }
    const known = headers[name.toLowerCase()]
    headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`
  }
  const status = Number(digits)
  const after = bytes.subarray(end + blank.length)
  if (status < 200) return readAnswer(after, how)
  const body = readBody(status, headers, { ...how, after })
  if (body === undefined) return how.ended ? { is: 'broken', why: 'cut off' } : { is: 'incomplete' }
  const answer = { status, headers, body: body.bytes }
  const ends = headers['connection'] === 'close' || isEndless(headers)
  return { is: 'answer', answer, rest: body.rest, ends }
}

/** A stream of events has no end of its own: what has come of it is all that is read. */
const isEndless = (headers: Record<string, string>): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false

type Body = { bytes: Buffer; rest: Buffer }
type After = { ended: boolean; bodiless: boolean; after: Buffer }

function readBody(
  status: number,
  headers: Record<string, string>,
  { ended, bodiless, after }: After,
): Body | undefined {
  if (bodiless || status === 204 || status === 304) return { bytes: Buffer.alloc(0), rest: after }
  if (isEndless(headers)) return { bytes: after, rest: Buffer.alloc(0) }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(after)
  const length = headers['content-length']
  if (length === undefined) return ended ? { bytes: after, rest: Buffer.alloc(0) } : undefined
  const size = Number(length)
  if (after.length < size) return undefined
  return { bytes: after.subarray(0, size), rest: after.subarray(size) }
}

function readChunks(after: Buffer): Body | undefined {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const end = after.indexOf('\r\n', at)
    if (end < 0) return undefined
    const size = Number.parseInt(after.subarray(at, end).toString('latin1'), 16)
    const next = end + 2 + size + 2
    if (Number.isNaN(size) || after.length < next) return undefined
    if (size === 0) return { bytes: Buffer.concat(parts), rest: after.subarray(next) }
    parts.push(after.subarray(end + 2, end + 2 + size))
    at = next
  }
}
