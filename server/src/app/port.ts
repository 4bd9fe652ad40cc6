// The port we listen on: found free, or refused with a line that says what to do.

import { createServer } from 'node:net'

/** A port that nobody else is given until it is released; nobody is served on it meanwhile. */
export type ReservedPort = Readonly<{ port: number; release(): Promise<void> }>

/** `port` 0: any that is free. Rejects with the system's error when it cannot be had. */
export function reservePort(port: number, host: string): Promise<ReservedPort> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      const taken = typeof address === 'object' && address !== null ? address.port : port
      const release = () => new Promise<void>((end) => server.close(() => end()))
      resolve({ port: taken, release })
    })
  })
}

/** Throws one clear line unless `port` can be listened on; called before anything is started. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  if (port === 0) return
  const reserved = await reservePort(port, host).catch((error: unknown) => {
    throw new Error(whyNot(error, port, host), { cause: error })
  })
  await reserved.release()
}

function whyNot(error: unknown, port: number, host: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const advice = 'set PORT to another one (0 = any free one).'
  if (code === 'EADDRINUSE')
    return `port ${port} on ${host} is in use by another program: ${advice}`
  if (code === 'EACCES') return `port ${port} cannot be used by this account: ${advice}`
  if (code === 'EADDRNOTAVAIL') return `HOST ${host} is not an address of this machine.`
  return `cannot listen on ${host}:${port} (${String(code ?? error)}).`
}
