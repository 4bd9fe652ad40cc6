// An account with an operator and three programs of the service, each a process of its own as a
// host runs it, on one database. What staff do to the account counts in each of them within two
// seconds, no call is lost meanwhile, and what nobody signed costs a program neither its memory nor
// the time of its answers.

import { createHmac, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWave, type Wave } from '../../../simulator/src/dialects/wave/start.ts'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import {
  type AccountDeps,
  addAccount,
  promoteSecrets,
  retireSecrets,
  setNextSecrets,
  switchAccount,
} from '../../src/gateways/accounts.ts'
import { waveAdapter } from '../../src/gateways/wave-business-api/wave-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { assert } from '../../src/platform/errors.ts'
import {
  eventually,
  type Json,
  payer,
  type Shop,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import '../setup/by-the-clock.ts'
import { inspectable, liveBytes } from '../setup/live-bytes.ts'
import { freePort } from '../setup/loopback.ts'
import { databaseEnv, type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { cpuSeconds } from '../setup/process-tree.ts'
import { isWhole } from '../setup/proof-files.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { webhookSecret, withWave } from '../setup/wave-account.ts'

const code = 'wave_everywhere'
const fresh = 'wave_sn_WHS_another_one_0000000'
/** Within which each program has seen what was done (operators, check 4): beside others, longer. */
const agree_within_ms = sized(15_000, 2_000)

let data_dir: string
let app: TestApp
let wave: Wave
let shop: Shop
let deps: AccountDeps
const programs: ServiceProcess[] = []
/** Where the first of them can be looked into. */
let inspector_port = 0

beforeAll(async () => {
  data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-programs-'))
  app = await startApp()
  shop = await app.shop()
  deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const inspector = await inspectable()
  inspector_port = inspector.port
  const env = {
    ...databaseEnv(app.database.options),
    SECRET_KEY: app.config.secret_key ?? '',
    SIMULATOR_URL: app.simulator.url,
    // What is left is the allowance of a minute, beyond which a program refuses without a look.
    LIMIT_UNMATCHED_CALLBACKS_PER_IP_HOUR: '1000000',
    LIMIT_UNMATCHED_CALLBACKS_PER_GATEWAY_HOUR: '1000000',
  }
  for (let at = 0; at < 3; at += 1) {
    const own = path.join(data_dir, String(at))
    const given = at === 0 ? { ...env, ...inspector.env } : env
    programs.push(await startProcess({ data_dir: own, port: await freePort(), env: given }))
  }
  wave = await startWave({ port: 0, speed: 20, auto_pay: true })
  const secrets = [webhookSecret]
  wave.register({ url: callbackUrl(someProgram()), secrets, strategy: 'SIGNING_SECRET' })
}, 300_000)
afterAll(async () => {
  await Promise.all(programs.map((one) => one.stop()))
  await wave?.stop()
  await app?.stop()
  await rm(data_dir, { recursive: true, force: true })
})

const callbackUrl = ({ url }: ServiceProcess) => `${url}/callbacks/${code}/`

function someProgram(): ServiceProcess {
  const [first] = programs
  assert(first !== undefined, 'a program runs')
  return first
}

const account = async () => {
  const found = await findFoundGateway(deps.db, code)
  assert(found !== undefined, 'the account is there')
  return found
}

let payers = 0

/** By the account, where a program knows one that is on; the transaction. */
async function payAt({ url }: ServiceProcess): Promise<Json> {
  payers += 1
  const customer = payer(`+22177${String(payers).padStart(5, '0')}55`)
  const call = { country: 'SN', network: 'wave_sn', customer, preferred_gateway: code }
  const { status, data, body } = await shopWith(url, shop.merchant_id, shop.key).pay(call)
  // Where another operator has it, it may be paid before a busy machine answers.
  expect([status, data?.status], JSON.stringify(body)).toEqual([
    201,
    expect.stringMatching(/^(PENDING|SUCCESS)$/),
  ])
  return data
}

const paid: string[] = []

/** Whether this program's next payment goes by the account. */
async function usesAccount(program: ServiceProcess): Promise<boolean> {
  const { id } = await payAt(program)
  paid.push(id)
  return (await gatewayOf(id)) === code
}

async function gatewayOf(id: string): Promise<string> {
  const { data } = await shop.get(`/transactions/${id}/`)
  return data.attempts.at(-1)?.gateway_code
}

/** The status that a program answers to an event that this secret signed, of nothing we know. */
async function answerTo(program: ServiceProcess, secret: string): Promise<number> {
  const t = Math.floor(Date.now() / 1000)
  const body = eventOf(`cos-${randomUUID()}`)
  const v1 = createHmac('sha256', secret).update(`${t}${body}`).digest('hex')
  return sendTo(program, body, { 'wave-signature': `t=${t},v1=${v1}` })
}

const eventOf = (id: string): string =>
  JSON.stringify({
    id: `EV_${id}`,
    type: 'checkout.session.completed',
    data: { id, amount: '100', currency: 'XOF', checkout_status: 'complete' },
  })

async function sendTo(program: ServiceProcess, body: string, headers = {}): Promise<number> {
  const reply = await fetch(callbackUrl(program), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  await reply.arrayBuffer()
  return reply.status
}

/** How long each program took to show that it has seen an act. Milliseconds. */
async function agreed(act: () => Promise<unknown>, sees: (at: ServiceProcess) => Promise<boolean>) {
  await act()
  const done = performance.now()
  const times = await Promise.all(
    programs.map(async (program) => {
      for (;;) {
        const asked = performance.now() - done
        if (await sees(program)) return Math.round(asked)
        if (asked > 20_000) return Number.POSITIVE_INFINITY
        await sleep(50)
      }
    }),
  )
  return Math.max(...times)
}

it('what is done to an account counts in three programs within two seconds', async () => {
  const staff = await app.staff({ role: 'OPERATIONS' })
  const { country, settings, secrets } = withWave(wave)
  const add = async () => {
    const given = {
      code,
      name: 'Wave',
      environment: 'SANDBOX',
      country,
      settings,
      secrets,
    } as const
    const made = await addAccount(deps, waveAdapter, given)
    await switchAccount(deps, made, { is_active: true, why: 'a story' })
    const route = { network: 'wave_sn', gateway: code, direction: 'COLLECT', priority: 9 }
    expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  }
  const turn = (is_active: boolean) => async () =>
    switchAccount(deps, await account(), { is_active, why: 'a story' })
  const isOff = async (program: ServiceProcess) => !(await usesAccount(program))
  const next = { ...secrets, webhook_secret: fresh }
  const promote = async () => {
    await setNextSecrets(deps, waveAdapter, { account: await account(), secrets: next })
    await promoteSecrets(deps, await account())
  }
  const retire = async () => retireSecrets(deps, await account())

  const took = {
    added: await agreed(add, usesAccount),
    off: await agreed(turn(false), isOff),
    on: await agreed(turn(true), usesAccount),
    promoted: await agreed(promote, async (at) => (await answerTo(at, fresh)) === 200),
    retired: await agreed(retire, async (at) => (await answerTo(at, webhookSecret)) === 404),
  }
  console.info('each program had seen it after', took)
  const late = Object.entries(took).filter(([, ms]) => ms > agree_within_ms)
  expect(late).toEqual([])
  const secrets_now = [fresh]
  wave.register({
    url: callbackUrl(someProgram()),
    secrets: secrets_now,
    strategy: 'SIGNING_SECRET',
  })

  // No call was lost: what the account took ends, and the others were given another one's page.
  let ours = 0
  for (const id of paid) {
    if ((await gatewayOf(id)) !== code) continue
    await shop.becomes(id, 'SUCCESS', 60_000)
    ours += 1
  }
  expect(ours).toBeGreaterThanOrEqual(2 * programs.length)
}, 240_000)

const flood = sized(600, 10_000)
const warm_up = sized(200, 2_000)
const at_once = 8
/** As many a second as come, whoever is answered late: more than any operator sends. */
const flood_per_s = 200
/**
 * Added to twice an answer that costs nothing, asked for beside, at the 99th of 100: on a full
 * machine that one waits as long as these do.
 */
const p99_more_max_ms = 50
/** Of the program's own processor time for each of them, all else that it does included. */
const cpu_max_ms = 5
/** Of what it still needs afterwards. Bytes. */
const growth_max = 4 * 2 ** 20

type Timed = Readonly<{ status: number; ms: number }>

/** Rounded milliseconds within which this share of them was answered. */
function shareOf(all: readonly Timed[], share: number): number {
  const times = all.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return Math.round(times[Math.floor(times.length * share)] ?? 0)
}

it(`${flood} unknown callbacks cost a program no memory, and a true one is served among them`, async () => {
  const program = someProgram()
  const [pid = 0] = program.pids()
  const kept = async () => {
    const [row] = await app.owner<Json[]>`
      select count(*)::int as n from gateway_callbacks where attempt_id is null`
    return row?.n
  }
  const timed = async (work: () => Promise<number>): Promise<Timed> => {
    const began = performance.now()
    return { status: await work(), ms: performance.now() - began }
  }
  const send = () => timed(() => sendTo(program, eventOf(`cos-${randomUUID()}`)))
  const lookIn = () =>
    timed(async () => {
      const reply = await fetch(`${program.url}/healthz`)
      await reply.arrayBuffer()
      return reply.status
    })
  const sendMany = async (count: number) => {
    const seen: Timed[] = []
    const one = async () => {
      while (seen.length + at_once <= count) seen.push(await send())
    }
    await Promise.all(Array.from({ length: at_once }, one))
    return seen
  }
  const pour = async () => {
    const [sent, beside]: [Promise<Timed>[], Promise<Timed>[]] = [[], []]
    const began = performance.now()
    for (let at = 0; at < flood; at += 1) {
      await sleep(Math.max(0, began + (at * 1000) / flood_per_s - performance.now()))
      sent.push(send())
      beside.push(lookIn())
    }
    return { seen: await Promise.all(sent), beside: await Promise.all(beside) }
  }
  await sendMany(warm_up)
  const [kept_before, bytes_before, cpu_before] = [
    await kept(),
    await liveBytes({ pid, port: inspector_port }),
    cpuSeconds([pid]),
  ]
  const flooding = pour()
  const among: string[] = []
  while (among.length < 10) among.push((await payAt(program)).id)
  const { seen, beside } = await flooding
  const cpu_ms = ((cpuSeconds([pid]) - cpu_before) * 1000) / flood
  const growth = (await liveBytes({ pid, port: inspector_port })) - bytes_before
  const megabytes = (growth / 2 ** 20).toFixed(1)
  const [p50, p99] = [shareOf(seen, 0.5), shareOf(seen, 0.99)]
  const nothing = shareOf(beside, 0.99)
  const [by_clock, by_cpu] = [`p50 ${p50} ms, p99 ${p99} ms`, `CPU ${cpu_ms.toFixed(2)} ms each`]
  console.info(`${by_clock} (/healthz p99 ${nothing} ms), ${by_cpu}, memory ${megabytes} MB`)

  expect(seen.filter(({ status }) => status < 400 || status >= 500)).toEqual([])
  expect(await kept()).toBe(kept_before)
  for (const id of among) await shop.becomes(id, 'SUCCESS', 30_000)
  await eventually(async () => {
    const rows = await app.owner<Json[]>`
      select distinct c.proof from gateway_callbacks c
        join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
       where a.transaction_id = any(${among}::uuid[])`
    expect(rows.map(({ proof }) => proof)).toEqual(['SIGNED'])
  })
  expect(growth).toBeLessThan(growth_max)
  expect(cpu_ms).toBeLessThan(cpu_max_ms)
  if (isWhole) expect(p99).toBeLessThan(2 * nothing + p99_more_max_ms)
}, 300_000)

const offered_per_s = 200
const phase_ms = 5_000
/**
 * Calls under way beyond which no more are begun: beside its payers and its operator on a busy
 * machine a program is not to be drowned. What was offered then counts as not taken.
 */
const open_max = 100

// The payers, their operator and one more service share this process, and all of it two cores: how
// many of those offered were taken is told, and that none was refused is held.
wholeIt(
  'secrets are replaced while payments are offered at two hundred a second',
  async () => {
    const [sent, refused]: [string[], unknown[]] = [[], []]
    const before = Date.now()
    const under_way = new Set<Promise<unknown>>()
    let [offered, left_out] = [0, 0]
    const begin = () => {
      const program = programs[offered % programs.length] ?? someProgram()
      const one = payAt(program).then(
        ({ id }) => sent.push(id),
        (error) => refused.push(error),
      )
      under_way.add(one)
      void one.finally(() => under_way.delete(one))
    }
    const clock = setInterval(() => {
      for (; offered < ((Date.now() - before) * offered_per_s) / 1000; offered += 1) {
        if (under_way.size < open_max) begin()
        else left_out += 1
      }
    }, 5)
    const { secrets } = withWave(wave)
    const next = { ...secrets, webhook_secret: 'wave_sn_WHS_a_third_one_00000000' }
    await sleep(phase_ms)
    await setNextSecrets(deps, waveAdapter, { account: await account(), secrets: next })
    await sleep(phase_ms)
    const taken_before = sent.length
    await promoteSecrets(deps, await account())
    await sleep(phase_ms)
    clearInterval(clock)
    const [taken, elapsed_s] = [sent.length, (Date.now() - before) / 1000]
    await Promise.all(under_way)
    const rate = Math.round(taken / elapsed_s)
    console.info(`${offered} offered, ${left_out} of them not begun, ${rate} a second taken`)
    expect(refused).toEqual([])
    expect(taken_before).toBeGreaterThan(0)
    expect(taken).toBeGreaterThan(taken_before)

    // One whose connection a busy machine did not open in time was given another one's page.
    await eventually(async () => {
      const rows = await app.owner<Json[]>`
        select distinct a.status from attempts a
         where a.transaction_id = any(${sent}::uuid[]) and a.gateway_code = ${code}
           and a.gateway_detail not in ('never sent', 'connect_timeout')`
      expect(rows.map(({ status }) => status)).toEqual(['SUCCESS'])
    }, 120_000)
    const proofs = await app.owner<Json[]>`
      select distinct c.proof from gateway_callbacks c
        join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
       where a.transaction_id = any(${sent}::uuid[])`
    expect(proofs.map(({ proof }) => proof)).toEqual(['SIGNED'])
  },
  400_000,
)
