// Looks whether an account is set up as this operator needs it. It reads only: the balance, a page
// that nobody has, and where its events go.

import { randomBytes } from 'node:crypto'
import { type Fields, readFields, wordIn } from '../../platform/json-fields.ts'
import type { Account, AdapterTools } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import type { Finding } from '../gateway.ts'
import { api_version, type Caller, type CallResult } from './client.ts'
import { errorIn, readList, sessionPath } from './wire.ts'

const checkMs = 10_000
const skewFailS = 300

/** Events without which something is learnt only by asking, or not at all. */
export const wantedEvents = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'charge.refunded',
  'charge.dispute.created',
  'refund.updated',
  'refund.failed',
] as const

const finding = (what: string, is: Finding['is'], found: string, fix = ''): Finding => ({
  ...{ what, is },
  ...{ found, fix },
})

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  { clock }: Pick<AdapterTools, 'clock'>,
): Promise<readonly Finding[]> {
  const until = performance.now() + checkMs
  const get = (path: string) => call({ method: 'GET', path }, until)
  const balance = await get('/v1/balance')
  const nobodys = `cs_test_${randomBytes(16).toString('hex')}`
  return [
    ...tlsFindings(account),
    keyFinding(account, balance),
    ...clockFindings(balance, { now_ms: clock(), fail_s: skewFailS }),
    questionFinding(await get(sessionPath(nobodys))),
    eventsFinding(account, await get('/v1/webhook_endpoints?limit=100')),
  ]
}

function tlsFindings({ environment, settings: { base_url = '' } }: Account): Finding[] {
  if (environment !== 'LIVE' || base_url.startsWith('https://')) return []
  return [finding('TLS', 'FAIL', base_url, 'Use an https:// address.')]
}

/** Money of the account in its own mode: the key is good, and of this environment. */
function keyFinding({ environment }: Account, result: CallResult): Finding {
  const what = 'secret key'
  if (result.is !== 'answered') {
    const fix = 'The address, its name or its certificate: compare base_url.'
    return finding(what, 'FAIL', result.because, fix)
  }
  const fields = readFields(result.body)
  if (result.status !== 200 || fields?.['object'] !== 'balance') {
    const fix =
      'Make a new key in the dashboard, and rotate. A restricted one must read balances, and ' +
      'read and write Checkout sessions and refunds.'
    return finding(what, 'FAIL', `status ${result.status} ${errorIn(fields).code}`.trim(), fix)
  }
  const isLive = fields['livemode'] === true
  if (isLive === (environment === 'LIVE')) return finding(what, 'PASS', currenciesIn(fields))
  const found = `a key of ${isLive ? 'live' : 'test'} mode in ${environment}`
  return finding(what, 'FAIL', found, 'Take the key of the other mode.')
}

function currenciesIn(fields: Fields): string {
  const available = fields['available']
  const codes = (Array.isArray(available) ? available : []).map((one) => wordIn(one, 'currency'))
  return `settles in ${codes.join(', ') || 'nothing yet'}`
}

/** "No such page" proves address, version and the right to ask at once. */
function questionFinding(result: CallResult): Finding {
  const what = 'question about a page'
  if (result.is !== 'answered') return finding(what, 'FAIL', result.because, 'Compare base_url.')
  const { code, message } = errorIn(readFields(result.body))
  if (result.status === 404 && code === 'resource_missing') {
    return finding(what, 'PASS', `not found, as version ${api_version}`)
  }
  const found = `status ${result.status} ${code} ${message}`.trim()
  return finding(what, 'FAIL', found, 'The key must read and write Checkout sessions.')
}

/** Of the endpoints that lead here. */
function eventsFinding({ code }: Account, result: CallResult): Finding {
  const what = 'events'
  const path = `/callbacks/${code}`
  const list = result.is === 'answered' ? readList(readFields(result.body)) : undefined
  if (list === undefined) {
    const fix = 'Let the key read webhook endpoints, or look in the dashboard under Webhooks.'
    return finding(what, 'WARN', 'not shown', fix)
  }
  const ours = list.data.filter(
    (one) => wordIn(one, 'status') === 'enabled' && isAt(one['url'], path),
  )
  const enabled = ours.flatMap((one) =>
    Array.isArray(one['enabled_events']) ? one['enabled_events'] : [],
  )
  const missing = wantedEvents.filter((one) => !enabled.includes(one) && !enabled.includes('*'))
  if (missing.length === 0) return finding(what, 'PASS', 'all that are used')
  const fix = `In the dashboard under Webhooks: add them to an endpoint at PUBLIC_URL and ${path}.`
  return finding(what, 'WARN', `missing: ${missing.join(', ')}`, fix)
}

const isAt = (url: unknown, path: string): boolean =>
  typeof url === 'string' && URL.canParse(url) && new URL(url).pathname.replace(/\/$/, '') === path
