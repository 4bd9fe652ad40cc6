// What `npm start` prints: where everything is, and a first curl that works when pasted. Law: one
// test key at most, and a link that is good for ten minutes, once; never a password: what is
// printed ends in logs (contract 8.25).

import type { Credentials } from './credentials.ts'
import { no_operator_url } from './sandbox-operator.ts'

export type Whereabouts = Readonly<{
  public_url: string
  dashboard_url: string
  simulator_url: string
  data_dir: string
  credentials: Credentials | undefined
  first: boolean
}>

export function banner(where: Whereabouts): string {
  const { public_url, dashboard_url, simulator_url, credentials } = where
  const lines = [
    '',
    `  Pirogue is ready.`,
    `    Dashboard  ${dashboard_url}/dashboard`,
    ...signInLine(credentials),
    `    API        ${public_url}/api/v1`,
    `    Docs       ${public_url}/docs`,
    simulator_url === no_operator_url
      ? '    Operator   not running, see the log  (sandbox)'
      : `    Operator   ${simulator_url}  (sandbox)`,
    `    Health     ${public_url}/readyz`,
  ]
  if (credentials !== undefined) {
    lines.push(
      `    Keys       ${where.data_dir}/credentials.json${where.first ? '  (just created)' : ''}`,
      '',
      '  Take a first payment (any last two digits but 01 to 09 succeed after a second):',
      '',
      ...firstCurl(credentials),
      '',
    )
  }
  return lines.join('\n')
}

const signInLine = (credentials: Credentials | undefined): string[] =>
  credentials?.sign_in_url === undefined
    ? []
    : [`    Sign in    ${credentials.sign_in_url}  (once, within 10 minutes)`]

function firstCurl({ base_url, api_keys }: Credentials): string[] {
  return [
    `  curl -s ${base_url}/payments/softpay/initialize/ \\`,
    `    -H 'Authorization: Bearer ${api_keys.PAYIN}' \\`,
    `    -H 'Content-Type: application/json' -H "Idempotency-Key: first-$(date +%s)" \\`,
    `    -d '{"amount":"5000","currency":"XOF","country":"BJ","network":"mtn_bj",` +
      `"customer":{"phone":"+2290197000010"}}'`,
  ]
}
