// The port we listen on: found free, or refused with a line that says what to do.

import { createServer } from 'node:net'

/** Any port that is free now. */
export const freePort = (host: string): Promise<number> => probe(0, host)

/** Throws one clear line unless `port` can be listened on; called before anything is started. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  if (port === 0) return
  await probe(port, host).catch((error: unknown) => {
    throw new Error(whyNot(error, port, host), { cause: error })
  })
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

function probe(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      const taken = typeof address === 'object' && address !== null ? address.port : port
      server.close(() => resolve(taken))
    })
  })
}
