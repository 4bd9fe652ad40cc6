// A merchant's endpoint on loopback that keeps what it received and answers as instructed.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { Json } from '../harness.ts'

export type Got = Readonly<{ headers: IncomingHttpHeaders; raw: string; body: Json; at_ms: number }>
export type Answer = (response: ServerResponse, got: Got) => void

export type Receiver = Readonly<{
  url: string
  received: Got[]
  answerWith(answer: Answer): void
  /** Receives nothing more; calls that wait for an answer are cut off. */
  close(): void
}>

export async function startReceiver(): Promise<Receiver> {
  const received: Got[] = []
  let answer: Answer = (response) => void response.end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString()
      const got = { headers: request.headers, raw, body: JSON.parse(raw), at_ms: Date.now() }
      received.push(got)
      answer(response, got)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`,
    received,
    answerWith(next) {
      answer = next
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
