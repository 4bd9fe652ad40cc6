// The calls of the API in the runbooks of operators: each is pasted into a shell, in its order, beside
// a service with that account, and answered. What is typed at the command line has tests of its own.

import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFedapay } from '../../simulator/src/dialects/fedapay/start.ts'
import { startMtn } from '../../simulator/src/dialects/mtn/start.ts'
import { startOrange } from '../../simulator/src/dialects/orange/start.ts'
import { startPawapay } from '../../simulator/src/dialects/pawapay/start.ts'
import { startStripe } from '../../simulator/src/dialects/stripe/start.ts'
import { startWave } from '../../simulator/src/dialects/wave/start.ts'
import { addAccount } from '../src/gateways/accounts.ts'
import type { Account } from '../src/gateways/adapter.ts'
import { adapters, findAdapter } from '../src/gateways/adapters.ts'
import { openKeyring } from '../src/platform/crypto/seal.ts'
import { type SignedInCaller, startApp, type TestApp } from './harness.ts'
import { fedapayAccount } from './setup/fedapay-account.ts'
import { provisioned } from './setup/mtn-account.ts'
import { withOrange } from './setup/orange-account.ts'
import { pawapayAccount } from './setup/pawapay-account.ts'
import { stripeAccount } from './setup/stripe-account.ts'
import { withWave } from './setup/wave-account.ts'

const run = promisify(execFile)
const has_tools = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0)
const events_to = 'http://127.0.0.1:9/callbacks/none'
const fast = { port: 0, speed: 20 }

type Started = Readonly<{ account: Account; stop: () => Promise<void> }>

/** Each operator's imitation, with an account as its own portal gives one. */
const starters: Readonly<Record<string, () => Promise<Started>>> = {
  async mtn() {
    const { url, stop } = await startMtn(fast)
    return { account: await provisioned(url, 'shop.example'), stop }
  },
  async pawapay() {
    const pawapay = await startPawapay(fast)
    return { account: pawapayAccount(pawapay), stop: pawapay.stop }
  },
  async wave() {
    const wave = await startWave(fast)
    return { account: withWave(wave), stop: wave.stop }
  },
  async orange() {
    const orange = await startOrange(fast)
    return { account: withOrange(orange), stop: orange.stop }
  },
  async stripe() {
    const stripe = await startStripe(fast)
    return { account: await stripeAccount(stripe.url, events_to), stop: stripe.stop }
  },
  async fedapay() {
    const fedapay = await startFedapay(fast)
    return { account: fedapayAccount(fedapay, events_to), stop: fedapay.stop }
  },
}

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'OPERATIONS' })
})
afterAll(() => app?.stop())

const runbookOf = (operator: string) =>
  readFile(new URL(`../../docs/runbooks/operator-${operator}.md`, import.meta.url), 'utf8')

/** The lines of its blocks that call the API. */
function callsIn(runbook: string): string[] {
  const blocks = [...runbook.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines = '']) => lines)
  return blocks.flatMap((one) => one.split('\n')).filter((line) => line.startsWith('curl '))
}

/** What a line of a runbook is answered, in a shell of its own. */
async function pasted(line: string): Promise<{ success: boolean }> {
  if (!has_tools) throw new Error('bash and curl are needed to paste what a runbook says')
  const env = { PATH: process.env['PATH'], API: `${app.url}/api/v1`, STAFF: staff.key }
  const { stdout } = await run('bash', ['-euc', line], { env, timeout: 30_000 })
  return JSON.parse(stdout)
}

/** The account that a runbook adds. */
const addedBy = /^npm run cli -- gateway add \w+ --code (\w+) --country (\w\w) /m

const known = ['mtn', 'pawapay', 'wave', 'orange', 'stripe', 'fedapay'] as const

describe('the calls of a runbook', () => {
  it('are of every operator that there is', () => {
    expect([...known].sort()).toEqual(adapters.map(({ adapter }) => adapter).sort())
  })

  it.each(known)('of %s are answered, in their order', async (operator) => {
    const runbook = await runbookOf(operator)
    const calls = callsIn(runbook)
    const said = (path: string) => calls.some((line) => line.includes(`$API${path}`))
    // What is to be done when the operator is down, refuses us, or moved another sum.
    for (const path of ['/admin/routes/', '/availability/', '/admin/audit-logs/?action=']) {
      expect(said(path), path).toBe(true)
    }
    expect(said('/admin/incidents/?type=AMOUNT_MISMATCH')).toBe(true)
    const [, code = '', country = ''] = addedBy.exec(runbook) ?? []
    const started = await starters[operator]?.()
    const module = findAdapter(operator)
    if (started === undefined || module === undefined) throw new Error(`no ${operator}`)
    const { settings, secrets } = started.account
    const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
    await addAccount(deps, module, {
      ...{ code, name: module.name, environment: 'SANDBOX', country, settings, secrets },
    })
    try {
      for (const line of calls) {
        const answer = await pasted(line)
        expect(answer.success, `${line}\n${JSON.stringify(answer)}`).toBe(true)
      }
    } finally {
      await started.stop()
    }
  })
})

describe('a runbook', () => {
  it.each(known)(
    'of %s says what each trouble is, and whom to ask for papers',
    async (operator) => {
      const runbook = await runbookOf(operator)
      for (const heading of ['Papers', 'When it is down, refuses us, or has no money']) {
        expect(runbook).toContain(`\n## ${heading}\n`)
      }
      for (const word of [
        'is down |',
        '`gateway.tripped`',
        '`GATEWAY_FLOAT`',
        '`AMOUNT_MISMATCH`',
      ]) {
        expect(runbook, word).toContain(word)
      }
    },
  )
})
