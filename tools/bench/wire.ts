// The least of HTTP/1.1 that two processes of ours need between them: keep-alive and bodies of a
// known length. The load shares the machine with what it measures, so it must cost next to nothing.

export type Message = Readonly<{
  /** First line and headers, without the empty line. */
  head: string
  body: string
}>

const head_ends = '\r\n\r\n'

/** Cuts a connection's bytes into messages. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0)

  read(chunk: Buffer): Message[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Message[] = []
    for (;;) {
      const head_length = bytes.indexOf(head_ends)
      if (head_length < 0) break
      const head = bytes.toString('latin1', 0, head_length)
      const from = head_length + head_ends.length
      const until = from + lengthIn(head)
      if (bytes.length < until) break
      messages.push({ head, body: bytes.toString('utf8', from, until) })
      bytes = bytes.subarray(until)
    }
    this.#rest = bytes
    return messages
  }
}

function lengthIn(head: string): number {
  if (/^transfer-encoding:/im.test(head)) throw new Error('a body without a known length')
  return Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
}

/** The status of an answer; 0 when it is none. */
export const statusOf = ({ head }: Message): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)

export type Post = Readonly<{
  host: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string
}>

export function postText({ host, path, headers, body }: Post): string {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = Buffer.byteLength(body)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}content-length: ${length}\r\n\r\n${body}`
}
