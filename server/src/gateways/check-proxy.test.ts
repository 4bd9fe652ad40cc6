// Which addresses an operator sees of calls that go through a proxy, as far as a check knows; and
// how long it waits for one that never comes to its point.

import { afterEach, describe, expect, it } from 'vitest'
import { expectInBoth } from '../../test/setup/both-languages.ts'
import { createEnds } from '../../test/setup/ends.ts'
import { serveTcp } from '../../test/setup/loopback.ts'
import { openTunnel, proxyEgressFinding } from './check-proxy.ts'

const ends = createEnds()
afterEach(() => ends.all())

const found = async (url: string, environment: 'SANDBOX' | 'LIVE') => {
  const finding = await proxyEgressFinding({ url, login: 'us:a-secret-word' }, { environment })
  expectInBoth([finding])
  expect(JSON.stringify(finding)).not.toContain('a-secret-word')
  return finding
}

describe('the addresses that calls leave from through a proxy', () => {
  it.each(['http://203.0.113.5:3128', 'http://10.0.0.5:3128', 'http://proxy.invalid:3128'])(
    'are not known where the proxy has none of the internet: %s',
    async (url) => {
      expect(await found(url, 'SANDBOX')).toMatchObject({ is: 'PASS' })
      const live = await found(url, 'LIVE')
      expect(live).toMatchObject({
        is: 'WARN',
        found: { en: `through the proxy ${url}: not known` },
      })
      expect(live.fix.en).toContain('Ask whoever runs the proxy')
    },
  )

  it.each([
    ['http://18.192.208.15:3128', '18.192.208.15'],
    ['http://[2a05:d018::5]:3128', '2a05:d018::5'],
  ])('are perhaps its own where it has some: %s', async (url, address) => {
    const finding = await found(url, 'LIVE')
    expect(finding.is).toBe('PASS')
    expect(finding.found.en).toContain(`whose own are ${address}:`)
  })
})

describe('a tunnel', () => {
  it('is given up in time where the proxy answers a little for ever', async () => {
    const proxy = await ends.keep(
      serveTcp((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const timer = setInterval(() => socket.write('x: y\r\n'), 20)
        socket.on('error', () => undefined)
        socket.on('close', () => clearInterval(timer))
      }),
    )
    const to = { code: 'one', host: 'operator.example', port: 443 }
    const { finding, socket } = await openTunnel({ url: proxy.url }, to, 200)
    expect(socket).toBeUndefined()
    expect(finding).toMatchObject({ is: 'FAIL', found: { en: `${proxy.url} does not answer` } })
    expectInBoth([finding])
  })
})
