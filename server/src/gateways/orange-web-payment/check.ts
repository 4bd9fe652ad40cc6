// Looks whether an account is set up as this operator needs it. It reads only: a token.

import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Account, AdapterTools, IssuedToken } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import type { Finding } from '../gateway.ts'
import { readToken } from './wire.ts'

const skewFailS = 300

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  askToken: () => Promise<SendResult>,
  { clock }: Pick<AdapterTools, 'clock'>,
): Promise<readonly Finding[]> {
  const result = await askToken()
  return [
    ...tokenFindings(readToken(result)),
    ...clockFindings(result, { now_ms: clock(), fail_s: skewFailS }),
    ...environmentFindings(account),
  ]
}

function tokenFindings(issued: IssuedToken): Finding[] {
  if (issued.is === 'issued') {
    return [{ what: 'token', is: 'PASS', found: `lives ${issued.expires_in_s} s`, fix: '' }]
  }
  const fix =
    issued.denied === true
      ? 'Compare client_id and client_secret with developer.orange.com.'
      : 'Nobody answers: compare base_url, and ask the operator.'
  return [{ what: 'token', is: 'FAIL', found: issued.because, fix }]
}

function environmentFindings({ environment, settings: given }: Account): Finding[] {
  const { country_path = '', wire_currency = '' } = given
  const isSandbox = country_path === 'dev'
  const found = `${country_path} ${wire_currency}`.trim()
  const fix = 'In LIVE country_path is the country’s and there is no wire_currency; in SANDBOX dev.'
  const merchant: Finding = {
    ...{ what: 'merchant key', is: 'WARN', found: 'cannot be asked about without a payment' },
    fix: 'Make one small payment: a wrong key refuses it.',
  }
  return isSandbox === (environment === 'SANDBOX')
    ? [{ what: 'environment', is: 'PASS', found, fix: '' }, merchant]
    : [{ what: 'environment', is: 'FAIL', found: `${found} in ${environment}`, fix }, merchant]
}
