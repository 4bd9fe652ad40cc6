// What is found of the certificate that operators see: its issuer and whoever stands behind them,
// by name, and how long it is good; one that is not sent whole, and an address that nobody reaches.

import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { createServer } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { expectInBoth } from '../../test/setup/both-languages.ts'
import { makeCertificate, makeChain } from '../../test/setup/certificate.ts'
import { callbackCertificateFindings } from './callback-certificate.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const names = { middle: 'R1 (Pirogue Authority)', root: 'Pirogue Root X2' }

type Server = Readonly<{
  listen(port: number, host: string, ready: () => void): unknown
  address(): unknown
  close(): unknown
}>

const portOf = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    closing.push(() => server.close())
  })

async function serve(served: Readonly<{ key: string; cert: string }>): Promise<string> {
  const server = createServer(served, (socket) => socket.on('error', () => undefined))
  server.on('tlsClientError', () => undefined)
  return `https://localhost:${await portOf(server)}`
}

async function found(public_url: string, ca?: string, patience_ms = 10_000) {
  const trust = ca === undefined ? {} : { ca }
  const findings = await callbackCertificateFindings({
    ...{ public_url, now_ms: Date.now(), patience_ms },
    ...trust,
  })
  expectInBoth(findings)
  return findings.map(({ is, found: text }) => `${is} ${text.en}`)
}

describe('the certificate of our own address', () => {
  it('names its issuer and who is behind it, and for how long it is good', async () => {
    const { key, cert, middle, root } = makeChain('localhost', names, 90)
    expect(await found(await serve({ key, cert: cert + middle }), root)).toEqual([
      'PASS issued by R1 (Pirogue Authority), under Pirogue Root X2, good for 89 days',
    ])
    const soon = makeChain('localhost', names, 5)
    expect(await found(await serve({ ...soon, cert: soon.cert + soon.middle }), soon.root)).toEqual(
      ['WARN issued by R1 (Pirogue Authority), under Pirogue Root X2, good for 4 days'],
    )
  })

  it('that is not sent with its intermediate one is named, and not trusted', async () => {
    const { key, cert, root } = makeChain('localhost', names, 90)
    const [line] = await found(await serve({ key, cert }), root)
    expect(line).toMatch(/^WARN issued by R1 \(Pirogue Authority\), good for 89 days; from here it/)
    expect(line).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  })

  it('that issued itself is not trusted, and is named once', async () => {
    const [line] = await found(await serve(makeCertificate('localhost', Date.now(), 60)))
    expect(line).toMatch(/^WARN issued by localhost, good for 59 days; from here it is not trusted/)
  })

  it('that cannot be seen is no failure, and is not waited for long', async () => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined))
    const quiet = `https://127.0.0.1:${await portOf(silent)}`
    expect(await found(quiet, undefined, 1_000)).toEqual([
      'WARN it cannot be seen from here: no answer',
    ])
    const [nobody] = await found('https://127.0.0.1:9')
    expect(nobody).toMatch(/^WARN it cannot be seen from here: /)
    expect(await found('http://pay.example.com')).toEqual([])
  })
})
