// The imitations that merchants choose: started when one is asked for, by whoever knows the token,
// the same after a restart.

import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Simulator, startSimulator } from '../src/start.ts'
import { callback_secret, token } from './harness.ts'

let dir: string
let operator: Simulator | undefined
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'pirogue-desk-'))
})
afterEach(async () => {
  await operator?.stop()
  await rm(dir, { recursive: true })
})

type Opened = { port: number; settings: object; secrets: Record<string, string> }

const start = async (speed = 1) => {
  const journal = path.join(dir, 'simulator.jsonl')
  operator = await startSimulator({ port: 0, token, callback_secret, journal, speed })
  return operator
}

const ask = ({ url }: Simulator, name: string, body: object = { callback_url: url }) =>
  fetch(`${url}/dialects/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })

async function opened(from: Simulator, name: string): Promise<Opened> {
  const reply = await ask(from, name)
  expect(reply.status).toBe(200)
  return JSON.parse(await reply.text())
}

const tokenFor = ({ port, secrets }: Opened, product = 'collection') => {
  const user = `${secrets[`${product}_api_user`]}:${secrets[`${product}_api_key`]}`
  return fetch(`http://127.0.0.1:${port}/${product}/token/`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(user).toString('base64')}`,
      'ocp-apim-subscription-key': secrets[`${product}_subscription_key`] ?? '',
    },
  })
}

/** Whether MTN's imitation gives a token to the account that was opened. */
const givesToken = async (of: Opened): Promise<number> => (await tokenFor(of)).status

/** Pays out over MTN's imitation, and answers how it ended, or how it was refused. */
async function paysOut(of: Opened, amount: string, callback_url = ''): Promise<string> {
  const { access_token } = JSON.parse(await (await tokenFor(of, 'disbursement')).text())
  const reference = randomUUID()
  const at = `http://127.0.0.1:${of.port}/disbursement/v1_0/transfer`
  const headers = {
    authorization: `Bearer ${access_token}`,
    'ocp-apim-subscription-key': of.secrets['disbursement_subscription_key'] ?? '',
    'x-target-environment': 'sandbox',
    'content-type': 'application/json',
  }
  const sent = await fetch(at, {
    method: 'POST',
    headers: {
      ...headers,
      'x-reference-id': reference,
      ...(callback_url === '' ? {} : { 'x-callback-url': callback_url }),
    },
    body: JSON.stringify({
      ...{ amount, currency: 'EUR', externalId: reference, payerMessage: '', payeeNote: '' },
      payee: { partyIdType: 'MSISDN', partyId: '2290197000010' },
    }),
  })
  if (sent.status !== 202) return `${sent.status} ${await sent.text()}`
  for (;;) {
    const { status, reason } = JSON.parse(
      await (await fetch(`${at}/${reference}`, { headers })).text(),
    )
    if (status !== 'PENDING') return reason?.code ?? reason ?? status
    await setTimeout(20)
  }
}

describe('a dialect that is asked for', () => {
  it('runs on a port of its own, once, and opens an account', async () => {
    const from = await start()
    const [first, second] = await Promise.all([opened(from, 'mtn'), opened(from, 'mtn')])
    expect(second).toEqual(first)
    expect(first.port).not.toBe(from.port)
    expect(await givesToken(first)).toBe(200)
    const other = await opened(from, 'pawapay')
    const wallets = await fetch(`http://127.0.0.1:${other.port}/v2/wallet-balances`, {
      headers: { authorization: `Bearer ${other.secrets['api_token']}` },
    })
    expect(wallets.status).toBe(200)
  })

  it('is there again after a restart, where it was, with the same account', async () => {
    const before = await opened(await start(), 'mtn')
    await operator?.stop()
    await start()
    expect(await givesToken(before)).toBe(200)
    expect(await opened(operator as Simulator, 'mtn')).toEqual(before)
  })

  it('whose last line was cut outlives every restart after it', async () => {
    const first = await opened(await start(100), 'mtn')
    await operator?.stop()
    const own = path.join(dir, 'simulator.mtn.jsonl')
    await appendFile(own, '{"transaction":{"product":"coll')
    for (const _ of [1, 2, 3]) {
      await start(100)
      expect(await paysOut(first, '1000')).toBe('SUCCESSFUL')
      await operator?.stop()
    }
  })

  it('and cannot run any more keeps neither the operator nor another from running', async () => {
    const from = await start()
    await opened(from, 'mtn')
    const other = await opened(from, 'pawapay')
    await operator?.stop()
    await writeFile(path.join(dir, 'simulator.mtn.jsonl'), 'no line\n{}\n')
    const again = await start()
    expect((await ask(again, 'mtn')).status).toBe(500)
    expect(await opened(again, 'pawapay')).toEqual(other)
  })

  it('pays out for one merchant as before, whatever another has paid out', async () => {
    const account = await opened(await start(100), 'mtn')
    expect(await paysOut(account, '100000000')).toBe('SUCCESSFUL')
    expect(await paysOut(account, '1000')).toBe('SUCCESSFUL')
  })

  it('calls back whoever sent it, where two with addresses of their own have asked for it', async () => {
    const [mine, yours] = ['https://pay.example.com/cb', 'https://pay.example.org/cb']
    const from = await start(100)
    for (const callback_url of [mine, yours, mine, yours]) {
      expect((await ask(from, 'mtn', { callback_url })).status).toBe(200)
    }
    const account = await opened(from, 'mtn')
    expect(await paysOut(account, '1000', mine)).toBe('SUCCESSFUL')
    expect(await paysOut(account, '1000', yours)).toBe('SUCCESSFUL')
    expect(await paysOut(account, '1000', 'https://other.example/cb')).toMatch('500')
    await operator?.stop()
    await start(100)
    expect(await paysOut(account, '1000', mine)).toBe('SUCCESSFUL')
  })

  it('is refused without the token, by another name, without an address', async () => {
    const from = await start()
    const url = `${from.url}/dialects/mtn`
    expect((await fetch(url, { method: 'PUT', body: '{}' })).status).toBe(401)
    expect((await ask(from, 'esperanto')).status).toBe(404)
    expect((await ask(from, 'mtn', {})).status).toBe(400)
    expect((await ask(from, 'mtn', { callback_url: 'nowhere' })).status).toBe(400)
  })
})
