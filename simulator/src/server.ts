// The HTTP server under the routes: reads a call, has it answered, writes the answer.
// Law: nothing is answered before the journal has what was decided.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { problem, type Reply, writeReply } from './reply.ts'
import { answer, createGuard, type Incoming } from './routes.ts'
import type { SimulatorDeps } from './simulator-deps.ts'

const body_bytes_max = 64 * 1024
const late_answer_ms = 30_000

/** The raw body; undefined when it is too large or its sender went away. */
async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of req) {
      const part: Buffer = chunk
      bytes += part.length
      if (bytes <= body_bytes_max) chunks.push(part)
    }
  } catch {
    return undefined
  }
  return bytes > body_bytes_max ? undefined : Buffer.concat(chunks).toString('utf8')
}

function readPath(url: string): string[] | undefined {
  try {
    const [path = ''] = url.split('?')
    return path.split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    return undefined
  }
}

async function read(req: IncomingMessage): Promise<Incoming | Reply> {
  const body = await readBody(req)
  if (body === undefined) return problem(413, 'TOO_LARGE', 'The body is too large.')
  const path = readPath(req.url ?? '')
  if (path === undefined) return problem(400, 'INVALID_REQUEST', 'The address is not readable.')
  return { method: req.method ?? '', path, headers: req.headers, body }
}

/** A server that does not listen yet. */
export function createOperatorServer(deps: SimulatorDeps, token: string): Server {
  const mayEnter = createGuard(token)

  async function serve(req: IncomingMessage): Promise<Reply> {
    try {
      const incoming = await read(req)
      const reply = 'is' in incoming ? incoming : await answer(deps, mayEnter, incoming)
      await deps.books.flushed()
      return reply
    } catch (error) {
      process.stderr.write(`simulator: ${error instanceof Error ? error.stack : error}\n`)
      return problem(500, 'INTERNAL_ERROR', 'Something went wrong.')
    }
  }

  const server = createServer(async (req: IncomingMessage, res: ServerResponse) => {
    const reply = await serve(req)
    if (!res.destroyed) writeReply(res, reply, late_answer_ms / deps.speed)
  })
  server.keepAliveTimeout = 30_000
  return server
}
