// Looks whether an account is set up as this operator needs it. It reads only: a search for a key
// that nobody has, in both products, and the balance.

import { randomUUID } from 'node:crypto'
import { readFields } from '../../platform/json-fields.ts'
import type { Account, AdapterTools } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import type { Direction, Finding } from '../gateway.ts'
import type { Caller, CallResult } from './client.ts'
import { readSearch } from './read-answer.ts'
import { codeOf, paths, readBalance } from './wire.ts'

const checkMs = 10_000
const skewFailS = 300

const pass = (what: string, found: string): Finding => ({ what, is: 'PASS', found, fix: '' })

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  tools: AdapterTools,
): Promise<readonly Finding[]> {
  const until = performance.now() + checkMs
  const our_key = randomUUID()
  const ask = (path: string) => call({ method: 'GET', path }, until)
  const [sessions, payouts, balance] = await Promise.all([
    ask(paths.searchSessions(our_key)),
    ask(paths.searchPayouts(our_key)),
    ask(paths.balance),
  ])
  return [
    ...settingFindings(account),
    ...clockFindings(sessions, {
      ...{ now_ms: tools.clock(), fail_s: skewFailS },
      because: 'signatures older than five minutes prove nothing',
    }),
    searchFinding('checkout search', 'COLLECT', sessions),
    searchFinding('payout search', 'DISBURSE', payouts),
    balanceFinding(balance),
    {
      what: 'webhook',
      is: 'WARN',
      found: 'its registration cannot be read',
      fix:
        `Compare on the portal: https, this account's /callbacks/${account.code}, signing secret ` +
        'as its strategy, both checkout.session events; then send its test event.',
    },
  ]
}

function settingFindings({ environment, settings }: Account): Finding[] {
  const { base_url = '' } = settings
  if (environment !== 'LIVE' || base_url.startsWith('https://')) return []
  return [{ what: 'TLS', is: 'FAIL', found: base_url, fix: 'Use an https:// address.' }]
}

/** Nothing found proves address, key and permission at once. */
function searchFinding(what: string, direction: Direction, result: CallResult): Finding {
  if (result.is !== 'answered') {
    const fix = 'Nobody answers: compare base_url, and ask the operator.'
    return { what, is: 'FAIL', found: `${result.is} ${result.because}`, fix }
  }
  const key = {
    ...{ merchant_id: '', attempt_id: '', direction, our_key: '', external_reference: '' },
    ...{ amount: 100n, currency: 'XOF' },
  }
  const { answer } = readSearch(key, result, { note: () => undefined, now_ms: 0 })
  if (answer.is === 'not_found') return pass(what, 'nothing found, as it must be')
  const code = codeOf(readFields(result.body))
  const found = `status ${result.status} ${code}`.trim()
  return { what, is: 'FAIL', found, fix: fixOf(result.status) }
}

function fixOf(status: number): string {
  if (status === 401) return 'The API key is wrong or revoked: make one on the portal and rotate.'
  if (status === 403) {
    return (
      'The API key lacks this API, or the portal admits other addresses only: compare its ' +
      'permissions and its address list.'
    )
  }
  return 'Compare base_url; then ask the operator.'
}

function balanceFinding(result: CallResult): Finding {
  const shown = result.is === 'answered' ? readBalance(result) : undefined
  if (shown !== undefined) return pass('balance', `${shown.amount / 100n} ${shown.currency}`)
  const fix = 'Give the API key the Balance API.'
  const found = result.is === 'answered' ? `status ${result.status}` : result.because
  const isOdd = result.is === 'answered' && result.status === 200
  return { what: 'balance', is: 'WARN', found: isOdd ? 'it cannot be read' : found, fix }
}
