// The calls behind what is on the screen, as a program would make them: for a developer who wants
// the same from a server.

import type { Operation, Request } from '../data/call.ts'
import { readsOnScreen } from '../data/queries.ts'
import { Code } from '../ui/facts.tsx'
import { Copy } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { curlOf } from './curl.tsx'
import { useHere } from './place.tsx'

/** What members ask for and keys may not: the first part of its path. */
const of_members = [
  ...['audit-logs', 'auth', 'kyc', 'merchant-api-keys', 'merchant-invitations'],
  ...['merchant-members', 'merchant-payout-limits', 'merchant-payout-methods'],
]

const isForKeys = ({ url }: Pick<Request<Operation>, 'url'>): boolean =>
  !of_members.includes(url.split('/')[1] ?? '')

export default function AsCurl() {
  const { place } = useHere()
  const calls = readsOnScreen(place).filter(isForKeys)
  if (calls.length === 0) return <p>{t('as_curl_none')}</p>
  return (
    <>
      <p className="hint">{t('curl_how')}</p>
      {calls.map((request) => {
        const text = curlOf({ method: 'GET', ...request })
        return (
          <div key={text}>
            <Code name={request.url} text={text} />
            <Copy text={text} name={t('copy')} />
          </div>
        )
      })}
    </>
  )
}
