// Real servers on loopback for tests of outgoing calls: polite ones and hostile ones.

import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'

export type Receiver = { port: number; connections: () => number; close: () => Promise<void> }

/** Listens on a free port; `close` ends its open connections too. */
async function listen(server: Server, host = '127.0.0.1'): Promise<Receiver> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined) // A test's client disconnects when it likes.
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    port: (server.address() as AddressInfo).port, // A TCP server has no other kind.
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

export const httpReceiver = (listener: RequestListener, host?: string) =>
  listen(createServer(listener), host)

export const httpsReceiver = (
  { key, cert }: { key: string; cert: string },
  listener: RequestListener,
) => listen(createTlsServer({ key, cert }, listener))

/** Bytes on a bare connection. */
export const tcpReceiver = (listener: (socket: Socket) => void) => listen(createTcpServer(listener))

/** A port on which nothing listens (it was ours a moment ago). */
export async function closedPort(): Promise<number> {
  const receiver = await tcpReceiver(() => undefined)
  await receiver.close()
  return receiver.port
}
