// The doctor sends a callback to our own public address, as an operator would: it is seen to come,
// or what stands in its way is named. Beside it the doctor says what was seen of an account.

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { usageFindings } from '../../src/app/check-usage.ts'
import { probeFinding } from '../../src/app/cli/probe-callback.ts'
import { probeToken } from '../../src/attempts/callback-probe.ts'
import { keyringWithMacKeys } from '../../src/platform/crypto/mac-keys.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { startApp, type TestApp } from '../harness.ts'
import { expectInBoth } from '../setup/both-languages.ts'
import { listen, nobody_listens } from '../setup/loopback.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app?.stop())

const account = { code: 'simulator_a', environment: 'SANDBOX' as const }

type Of = Parameters<typeof probeFinding>[1]

const probe = async (
  changes: Readonly<{ public_url?: string; key?: string }> = {},
  of: Of = account,
) => {
  const { public_url = app.url, key = app.config.secret_key ?? '' } = changes
  const found = await probeFinding(
    { db: app.service.db, keyring: openKeyring(key), public_url },
    of,
  )
  expectInBoth([found])
  return found
}

/** Whatever answers this at that address is not the service. */
async function answering(status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end('{}'))
  const { url, close } = await listen(server)
  onTestFinished(close)
  return url
}

describe('a callback of our own', () => {
  it('is seen to come, whichever process receives it, and stores nothing', async () => {
    const rows = () => app.owner`select 1 from gateway_callbacks`
    const before = (await rows()).count
    const second = await app.another()
    for (const public_url of [app.url, second.public_url]) {
      const found = await probe({ public_url })
      expect(found, found.found.en).toMatchObject({ is: 'PASS' })
      expect(found.found.en).toMatch(/^came over http:\/\/127\.0\.0\.1:\d+ in \d+ ms, and not over/)
    }
    expect((await rows()).count).toBe(before)
    // A LIVE account wants the way of the internet to be seen.
    expect(await probe({}, { ...account, environment: 'LIVE' })).toMatchObject({
      ...{ is: 'WARN', fix: { en: expect.stringContaining('from elsewhere') } },
    })
  })

  it('that does not come is named by what stands in its way', async () => {
    const stranger = randomBytes(32).toString('base64')
    const cases = [
      [
        await probe({ public_url: nobody_listens }),
        /nobody listens there/,
        /operators meet the same/,
      ],
      [await probe({ public_url: 'http://nowhere.invalid' }), /no address/, /its name/],
      [await probe({ key: stranger }), /do not open/, /Set SECRET_KEY/],
      [await probe({}, { ...account, code: 'nobody' }), /answers 404/, /does not know it/],
      [await probe({ public_url: await answering(302) }), /answers 302/, /without a redirect/],
      [await probe({ public_url: await answering(200) }), /received nothing/, /Another program/],
    ] as const
    for (const [finding, found, fix] of cases) {
      expect(finding, finding.found.en).toMatchObject({ is: 'FAIL' })
      expect(finding.found.en).toMatch(found)
      expect(finding.fix.en).toMatch(fix)
    }
  }, 60_000)

  it('is nobody else’s to send: without our key, over, or of another account it is 404', async () => {
    const own = openKeyring(app.config.secret_key ?? '')
    const keyring = await keyringWithMacKeys(app.service.db, own, [])
    const other = openKeyring(randomBytes(32).toString('base64'))
    const made = { gateway_code: account.code, nonce: randomBytes(16) }
    const good = { ...made, expires_ms: Date.now() + 60_000 }
    const tokens = [
      [probeToken(keyring, good), account.code, 200],
      [probeToken(other, good), account.code, 404],
      [probeToken(keyring, { ...made, expires_ms: Date.now() - 1000 }), account.code, 404],
      [probeToken(keyring, good), 'simulator_b', 404],
    ] as const
    for (const [token, code, status] of tokens) {
      const url = `${app.url}/callbacks/${code}/${token}`
      const reply = await fetch(url, { method: 'POST', body: '{}' })
      expect([code, reply.status]).toEqual([code, status])
    }
  })
})

describe('what was seen of an account', () => {
  const findings = async (code: string) => {
    const [row] = await app.owner<{ id: string; code: string }[]>`
      select id, code from gateways where code = ${code}`
    if (row === undefined) throw new Error(code)
    const all = await usageFindings(app.service.db, row)
    expectInBoth(all)
    return Object.fromEntries(all.map((one) => [one.what.en, one]))
  }

  it('is nothing of one that nobody has used, and no mistake', async () => {
    const none = await findings('simulator_b')
    expect(Object.values(none).map(({ is }) => is)).toEqual(Array(7).fill('PASS'))
    expect(none['clocks so far']?.found.en).toBe('not far apart within 7 days')
    expect(none['refusals of us']?.found.en).toBe('none within 7 days')
    expect(none['last success']?.found.en).toBe('none within 180 days')
    expect(none['payments called back']?.found.en).toBe('none has ended within 7 days')
  })

  it('is the last success, the last callback, and how many were called back', async () => {
    const shop = await app.shop()
    for (let count = 0; count < 5; count += 1) {
      const { data } = await shop.pay()
      await shop.becomes(data.id, 'SUCCESS')
    }
    const seen = await findings('simulator_a')
    expect(seen['last success']?.found.en).toMatch(/^payment \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
    expect(seen['last callback']?.found.en).toMatch(/^SIGNED \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    expect(seen['payments called back']?.found.en).toMatch(
      /^\d+ \(\d+%\) of 5 that ended within 7 days; \d+ \(\d+%\) were decided by the callback/,
    )
    // Silent: the operator answers when it is asked, and calls nobody back.
    await app.owner`delete from gateway_callbacks`
    const silent = await findings('simulator_a')
    expect(silent['payments called back']).toMatchObject({
      ...{ is: 'WARN', found: { en: expect.stringMatching(/^0 \(0%\) of 5/) } },
      fix: { en: expect.stringContaining('gateway check simulator_a --probe-callback') },
    })
    expect(silent['last callback']).toMatchObject({
      ...{ is: 'WARN', found: { en: 'none within 180 days', fr: 'rien depuis 180 jours' } },
    })
  }, 60_000)
})
