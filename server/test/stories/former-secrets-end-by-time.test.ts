// Former secrets of an account verify callbacks for 72 hours after others were promoted, and not a
// moment longer, whether or not anybody has erased them by then. They are erased once, whoever else
// retires or promotes at the same time.

import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import {
  type AccountDeps,
  addAccount,
  promoteSecrets,
  retireSecrets,
  secretsOf,
  setNextSecrets,
  switchAccount,
} from '../../src/gateways/accounts.ts'
import { retireOver } from '../../src/gateways/retire-over.ts'
import { waveAdapter } from '../../src/gateways/wave-business-api/wave-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { assert } from '../../src/platform/errors.ts'
import { eventually, type Json, startApp, type TestApp } from '../harness.ts'
import { withWave } from '../setup/wave-account.ts'

let app: TestApp
let deps: AccountDeps
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } })
  deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
})
afterAll(() => app?.stop())

const wave_key = `wave_sn_prod_${randomBytes(20).toString('hex')}`
const nobody = 'http://127.0.0.1:9'
const secretOf = (version: number) => `wave_sn_WHS_version_number_${version}`
const { country, settings, secrets } = withWave({ url: nobody, api_key: wave_key })
const versionOf = (version: number) => ({ ...secrets, webhook_secret: secretOf(version) })

const accountOf = async (code: string) => {
  const found = await findFoundGateway(deps.db, code)
  assert(found !== undefined, 'the account is there')
  return found
}

async function promoted(code: string, version: number): Promise<void> {
  const account = await accountOf(code)
  await setNextSecrets(deps, waveAdapter, { account, secrets: versionOf(version) })
  await promoteSecrets(deps, account)
}

let accounts = 0
/** An account with its second secrets; the first ones are former. */
async function rekeyed(): Promise<string> {
  accounts += 1
  const code = `wave_time_${accounts}`
  const made = await addAccount(deps, waveAdapter, {
    ...{ code, name: 'Wave', environment: 'SANDBOX', country, settings },
    secrets: versionOf(1),
  })
  await switchAccount(deps, made, { is_active: true, why: 'a story' })
  await promoted(code, 2)
  return code
}

/** As if others had been promoted so long ago. */
const becameFormer = (code: string, ago: string) => app.owner`
  update gateway_secrets set state_at = now() - ${ago}::interval
   where state = 'PREVIOUS' and gateway_id = (select id from gateways where code = ${code})`

const states = (code: string) => app.owner<Json[]>`
  select version, state, sealed is null as is_erased from gateway_secrets
   where gateway_id = (select id from gateways where code = ${code}) order by version`

const retirements = (code: string) => app.owner<Json[]>`
  select actor_id, after from audit_logs
   where action = 'gateway_secrets.retired'
     and target_id = (select id::text from gateways where code = ${code})`

/** What an event of nothing that we know is answered: 200 where its signature fits, else 404. */
async function answerTo(code: string, secret: string): Promise<number> {
  const t = Math.floor(Date.now() / 1000)
  const id = `cos-${randomUUID()}`
  const data = { id, amount: '100', currency: 'XOF', checkout_status: 'complete' }
  const body = JSON.stringify({ id: `EV_${id}`, type: 'checkout.session.completed', data })
  const v1 = createHmac('sha256', secret).update(`${t}${body}`).digest('hex')
  const headers = { 'content-type': 'application/json', 'wave-signature': `t=${t},v1=${v1}` }
  const reply = await fetch(`${app.url}/callbacks/${code}/`, { method: 'POST', headers, body })
  await reply.arrayBuffer()
  return reply.status
}

const metric = async (): Promise<number> => {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  return Number(/^pirogue_oldest_expired_gateway_secrets_seconds (\S+)$/m.exec(text)?.[1])
}

describe('former secrets', () => {
  it('verify callbacks for 72 hours, and are erased after that by whoever works', async () => {
    const code = await rekeyed()
    await eventually(async () => expect(await answerTo(code, secretOf(2))).toBe(200))
    expect(await answerTo(code, secretOf(1))).toBe(200)
    await becameFormer(code, '71 hours 59 minutes')
    const former = (await secretsOf(deps, await accountOf(code)))[0]
    const left_ms = (former?.valid_until?.getTime() ?? 0) - Date.now()
    expect(left_ms).toBeGreaterThan(0)
    expect(left_ms).toBeLessThanOrEqual(60_000)
    expect(await retireOver(deps.db)).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await answerTo(code, secretOf(1))).toBe(200)

    // Nobody works yet: they are there, and count no longer.
    await becameFormer(code, '72 hours')
    await eventually(async () => expect(await answerTo(code, secretOf(1))).toBe(404))
    expect(await answerTo(code, secretOf(2))).toBe(200)
    expect(await states(code)).toEqual([
      { version: 1, state: 'PREVIOUS', is_erased: false },
      { version: 2, state: 'CURRENT', is_erased: false },
    ])
    // Scrapes within five seconds share a reading.
    await eventually(async () => expect(await metric()).toBeGreaterThan(0))

    const worker = await app.another({ ROLE: 'worker' })
    await app.owner.notify('pirogue_wake', 'a-story former-secrets')
    await eventually(async () =>
      expect(await states(code)).toEqual([
        { version: 1, state: 'RETIRED', is_erased: true },
        { version: 2, state: 'CURRENT', is_erased: false },
      ]),
    )
    await worker.stop()
    expect(await retirements(code)).toEqual([
      {
        actor_id: null,
        after: {
          ...{ version: 1, fingerprint: former?.fingerprint },
          why: '72 hours after others were promoted',
        },
      },
    ])
    await eventually(async () => expect(await metric()).toBe(0))
  })

  it('are erased once by several who work, and by nobody after a command', async () => {
    const code = await rekeyed()
    await becameFormer(code, '72 hours')
    const erased = await Promise.all(Array.from({ length: 4 }, () => retireOver(deps.db)))
    expect(erased.sort()).toEqual([0, 0, 0, 1])
    expect(await retirements(code)).toHaveLength(1)
    const other = await rekeyed()
    await becameFormer(other, '72 hours')
    await retireSecrets(deps, await accountOf(other))
    expect(await retireOver(deps.db)).toBe(0)
    expect(await retirements(other)).toHaveLength(1)
  })

  it.each([
    ['before', 0, 1],
    ['after', 1, 0],
  ])('that others take the place of, just %s they are erased, leave those', async (_, job, act) => {
    const code = await rekeyed()
    await becameFormer(code, '72 hours')
    const account = await accountOf(code)
    await setNextSecrets(deps, waveAdapter, { account, secrets: versionOf(3) })
    const begun: Promise<number>[] = []
    await app.owner.begin(async (sql) => {
      await sql`select id from gateways where code = ${code} for update`
      const acts = [() => retireOver(deps.db), () => promoteSecrets(deps, account)]
      for (const at of [job, act]) {
        const begin = acts[at]
        assert(begin !== undefined, 'it is one of the two')
        begun.push(begin())
        await eventually(async () => {
          const waiting = await app.owner`
            select 1 from pg_stat_activity
             where wait_event_type = 'Lock' and datname = current_database()`
          expect(waiting.count).toBe(begun.length)
        })
      }
    })
    const done = await Promise.all(begun)
    expect(done).toEqual(job === 0 ? [1, 3] : [3, 0])
    expect(await states(code)).toEqual([
      { version: 1, state: 'RETIRED', is_erased: true },
      { version: 2, state: 'PREVIOUS', is_erased: false },
      { version: 3, state: 'CURRENT', is_erased: false },
    ])
    expect((await accountOf(code)).former_version).toBe(2)
  })
})
