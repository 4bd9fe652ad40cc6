// The runbooks of operators whose secrets are keys alone: each command that is written there runs,
// in its order, against the dialect, and prints no secret.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startFedapay } from '../../simulator/src/dialects/fedapay/start.ts'
import { startStripe } from '../../simulator/src/dialects/stripe/start.ts'
import { runCli } from '../src/app/cli/command-line.ts'
import { readConfig } from '../src/app/config.ts'
import { type Connection, connect } from '../src/app/connect.ts'
import { keyringOf } from '../src/app/secret-key.ts'
import { type Embedded, startEmbedded } from '../src/platform/embedded/start-embedded.ts'
import { fedapayAccount } from './setup/fedapay-account.ts'
import { layReadyCluster } from './setup/ready-cluster.ts'
import { type CallbackServer, serveProbes } from './setup/serve-callbacks.ts'
import { stripeAccount } from './setup/stripe-account.ts'

let dir: string
let server: Embedded
let connection: Connection
/** Where operators call: it receives callbacks of our own. */
let ours: CallbackServer | undefined

async function cli(args: readonly string[], typed = '') {
  const [out, err]: string[][] = [[], []]
  const code = await runCli(args, {
    env: { DATA_DIR: dir, ...(ours === undefined ? {} : { PUBLIC_URL: ours.url }) },
    out: (line) => out?.push(line),
    err: (line) => err?.push(line),
    input: Readable.from([typed]),
  })
  return { code, out, err }
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pirogue-cli-operators-'))
  await layReadyCluster(join(dir, 'postgres'))
  server = await startEmbedded({ dir: join(dir, 'postgres'), settings: { fsync: 'off' } })
  const reading = readConfig({ DATA_DIR: dir })
  if (reading.is === 'mistakes') throw new Error(reading.lines.join())
  connection = await connect(reading.config, pino({ level: 'silent' }))
  for (const command of ['migrate', 'seed']) expect((await cli([command])).code).toBe(0)
  const db = connection.open('superuser', { connections_max: 2, durable: false, name: 'test' })
  ours = await serveProbes(db, await keyringOf(reading.config))
})
afterAll(async () => {
  await ours?.close()
  await connection?.stop()
  await server?.stop()
  for (const path of new Set([dir, server.directory, server.host])) {
    await rm(path, { recursive: true, force: true })
  }
})

async function commandsOf(operator: string): Promise<string[][]> {
  const path = new URL(`../../docs/runbooks/operator-${operator}.md`, import.meta.url)
  const runbook = await readFile(path, 'utf8')
  return [...runbook.matchAll(/^npm run cli -- (gateway .*)$/gm)].map(([, one = '']) =>
    [...one.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
  )
}

type Secrets = Readonly<Record<string, string>>
type Opened = Readonly<{ url: string; secrets: readonly [Secrets, Secrets] }>

const nowhere = 'http://127.0.0.1:9/none'

const operators: Readonly<Record<string, () => Promise<Opened>>> = {
  async stripe() {
    const stripe = await startStripe({ port: 0 })
    onTestFinished(() => stripe.stop())
    const of = async () => (await stripeAccount(stripe.url, nowhere)).secrets
    return { url: stripe.url, secrets: [await of(), await of()] }
  },
  async fedapay() {
    const fedapay = await startFedapay({ port: 0 })
    onTestFinished(() => fedapay.stop())
    const of = () => fedapayAccount(fedapay, nowhere).secrets
    return { url: fedapay.url, secrets: [of(), of()] }
  },
}

const linesOf = (values: Secrets): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')

describe('a runbook', () => {
  it.each(Object.keys(operators))('of %s runs, command by command', async (operator) => {
    const { url, secrets } = (await operators[operator]?.()) ?? { url: '', secrets: [{}, {}] }
    const commands = await commandsOf(operator)
    expect(commands.map(([, verb]) => verb)).toEqual([
      ...['add', 'check', 'on', 'list', 'check', 'show', 'check', 'off', 'rotate', 'check'],
      ...['promote', 'retire', 'off', 'steps'],
    ])
    const printed: string[] = []
    for (const command of commands) {
      const [, verb] = command
      const args = verb === 'add' ? [...command, '--set', `base_url=${url}`] : command
      const ran = await cli(args, linesOf(secrets[verb === 'rotate' ? 1 : 0]))
      expect([ran.code, ran.err], command.join(' ')).toEqual([0, []])
      printed.push(...(ran.out ?? []))
    }
    for (const secret of secrets.flatMap((one) => Object.values(one))) {
      expect(printed.join('\n').includes(secret)).toBe(false)
    }
  })
})
