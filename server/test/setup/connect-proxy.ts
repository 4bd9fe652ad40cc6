// A real proxy by CONNECT on loopback: it lets callers through, refuses them, hangs or hangs up. It
// sees of a call what any proxy sees: where to, who asks, and bytes that it cannot read.

import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type LoopbackServer, listen } from './loopback.ts'

/** What becomes of the next ones; a number is the status that they are answered. */
type Ways = 'lets through' | 'dies midway' | 'hangs' | 'hangs up' | 'talks nonsense' | number

export type ConnectProxy = LoopbackServer &
  Readonly<{
    /** Each CONNECT: where to, and what was shown of who comes. */
    asked: readonly Readonly<{ to: string; authorization: string | undefined }>[]
    /** All that callers have sent through, in the form in which it passed. */
    passed(): string
    does(way: Ways): void
    /** Ends every tunnel, as a proxy that dies. */
    cut(): void
  }>

/** `login`: who else comes is answered 407. */
export async function serveProxy({
  login,
}: Readonly<{ login?: string }> = {}): Promise<ConnectProxy> {
  const asked: { to: string; authorization: string | undefined }[] = []
  const chunks: Buffer[] = []
  const tunnels = new Set<Socket>()
  let way: Ways = 'lets through'
  const server = createServer((_request, response) => response.writeHead(405).end())
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const authorization = request.headers['proxy-authorization']
    asked.push({ to: request.url ?? '', authorization })
    socket.on('error', () => undefined)
    if (way === 'hangs') return
    if (way === 'hangs up') return void socket.destroy()
    if (way === 'talks nonsense') return void socket.end('SSH-2.0-proxy\r\n')
    const known = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`
    const dies = way === 'dies midway'
    const lets = dies || way === 'lets through'
    const status = lets ? (authorization === known ? 200 : 407) : way
    if (status !== 200) {
      return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`)
    }
    const target = new URL(`http://${request.url}`)
    const onward = connect({ host: target.hostname, port: Number(target.port || 80) })
    for (const one of [socket, onward]) tunnels.add(one)
    onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    onward.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      // What comes back is never passed on.
      if (dies) onward.once('data', () => socket.destroy())
      onward.write(head)
      socket.pipe(onward).pipe(socket)
    })
    const end = () => {
      socket.destroy()
      onward.destroy()
    }
    socket.on('close', end)
    onward.on('close', end)
  })
  return {
    ...(await listen(server)),
    asked,
    passed: () => Buffer.concat(chunks).toString('latin1'),
    does: (next) => {
      way = next
    },
    cut: () => {
      for (const socket of tunnels) socket.destroy()
    },
  }
}
