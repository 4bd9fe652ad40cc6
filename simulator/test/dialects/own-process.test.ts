// `npm run dialect -- NAME`: an imitation as a process of its own says all that an account with it
// is set up with, and what opens it is the same after a restart.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { starters } from '../../src/dialect-starters.ts'

const main = new URL('../../src/dialects/main.ts', import.meta.url).pathname

type Printed = Readonly<{
  dialect: string
  url: string
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}>

async function run(name: string): Promise<Printed> {
  const child = spawn(process.execPath, ['--import', 'tsx', main, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGTERM')
  })
  const [line]: string[] = await once(createInterface({ input: child.stdout }), 'line')
  return JSON.parse(line ?? '')
}

it.each([...starters.keys()])('%s says what opens it, alone too', async (name) => {
  const { dialect, url, secrets } = await run(name)
  expect(dialect).toBe(name)
  expect(new URL(url).hostname).toBe('127.0.0.1')
  expect(Object.values(secrets).every((one) => one.length >= 16)).toBe(true)
  expect(Object.keys(secrets).length).toBeGreaterThan(0)
})

it('is opened by the same secrets in each run', async () => {
  const { secrets } = await run('pawapay')
  const { url, secrets: again } = await run('pawapay')
  expect(again).toEqual(secrets)
  const asked = (token: string) =>
    fetch(`${url}/v2/wallet-balances`, { headers: { authorization: `Bearer ${token}` } })
  const shown = await asked(secrets['api_token'] ?? '')
  expect(shown.status).toBe(200)
  // No longer than a sum may be that is read: of more, nothing was known.
  const { balances }: { balances: { balance: string }[] } = JSON.parse(await shown.text())
  expect(balances.every(({ balance }) => /^\d{1,12}\.\d\d$/.test(balance))).toBe(true)
  expect((await asked('another')).status).toBe(403)
})

it('shows a payer its page on its own port', async () => {
  const { url, secrets } = await run('stripe')
  const form = new URLSearchParams([
    ['mode', 'payment'],
    ['client_reference_id', 'a'],
    ['success_url', 'https://shop.example/'],
    ['line_items[0][quantity]', '1'],
    ['line_items[0][price_data][currency]', 'xof'],
    ['line_items[0][price_data][unit_amount]', '5000'],
    ['line_items[0][price_data][product_data][name]', 'Tea'],
  ])
  const reply = await fetch(`${url}/v1/checkout/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets['secret_key']}` },
    body: form,
  })
  const session: { url: string } = JSON.parse(await reply.text())
  expect(new URL(session.url).origin).toBe(url)
  expect((await fetch(session.url)).status).toBe(200)
})
