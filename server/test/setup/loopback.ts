// Real servers on a free port of loopback, polite ones and hostile ones: in tests and tools they
// stand where a merchant, an operator or a stranger's program would be.

import { randomInt } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'

export const loopback = '127.0.0.1'

export type LoopbackServer = Readonly<{
  /** `http://127.0.0.1:<port>`, whatever it speaks. */
  url: string
  port: number
  /** How many have been opened to it so far. */
  connections(): number
  /** Ends its open connections too. */
  close(): Promise<void>
}>

/** Listens on a free port. */
export async function listen(server: Server, host = loopback): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined) // A test's client disconnects when it likes.
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  const { port } = server.address() as AddressInfo // A TCP server has no other kind.
  return {
    url: `http://${loopback}:${port}`,
    port,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** A listener that fails cuts its caller off. */
export const serveHttp = (
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  host?: string,
) =>
  listen(
    createServer(async (request, response) => {
      try {
        await listener(request, response)
      } catch {
        response.destroy()
      }
    }),
    host,
  )

export type ServerTls = Readonly<{
  key: string
  cert: string
  /** PEM: whoever shows no certificate of these is not listened to. */
  clients?: string
}>

export const serveHttps = ({ key, cert, clients }: ServerTls, listener: RequestListener) =>
  listen(
    createTlsServer(
      clients === undefined
        ? { key, cert }
        : { key, cert, ca: clients, requestCert: true, rejectUnauthorized: true },
      listener,
    ),
  )

/** Bytes on a bare connection. */
export const serveTcp = (listener: (socket: Socket) => void) => listen(createTcpServer(listener))

/**
 * Where nothing listens, for as long as anybody asks: the port of `discard`, which no program is
 * given by the system. A free port may be another test's a moment later.
 */
export const nobody_listens = 'http://127.0.0.1:9'

/** Below those that a system gives to whoever asks for any, which others take in the meantime. */
const own_ports = { from: 15_000, to: 30_000 }

/** A port on which nothing listens (it was ours a moment ago), to be taken at once. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(own_ports.from, own_ports.to)
    const server = createTcpServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, loopback, () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
