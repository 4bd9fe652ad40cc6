// Which addresses an operator sees of calls that go through a proxy, as far as a check knows.

import { describe, expect, it } from 'vitest'
import { expectInBoth } from '../../test/setup/both-languages.ts'
import { proxyEgressFinding } from './check-proxy.ts'

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
