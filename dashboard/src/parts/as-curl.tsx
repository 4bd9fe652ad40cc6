// The calls behind what is on the screen, as a program would make them: for a developer who wants
// the same from a server. They hold a key's place and never a key.

import { absoluteOf, type Operation, type Request } from '../data/call.ts'
import { readsOnScreen } from '../data/queries.ts'
import { Code } from '../ui/facts.tsx'
import { Copy } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

/** What members ask for and keys may not: the first part of its path. */
const of_members = [
  ...['audit-logs', 'auth', 'kyc', 'merchant-api-keys', 'merchant-invitations'],
  ...['merchant-members', 'merchant-payout-limits', 'merchant-payout-methods'],
]

const isForKeys = ({ url }: Pick<Request<Operation>, 'url'>): boolean =>
  !of_members.includes(url.split('/')[1] ?? '')

/** Between single quotes a shell reads nothing but their end. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export default function AsCurl() {
  const { place } = useHere()
  const key = place.environment === 'LIVE' ? 'sk_live_…' : 'sk_test_…'
  const calls = readsOnScreen(place).filter(isForKeys).map(absoluteOf)
  if (calls.length === 0) return <p>{t('as_curl_none')}</p>
  return (
    <>
      <p>{t('as_curl_key', { key })}</p>
      {calls.map((address) => {
        const text = `curl ${quoted(address)} \\\n  -H ${quoted(`Authorization: Bearer ${key}`)}`
        return (
          <div key={address}>
            <Code name={t('as_curl_one')} text={text} />
            <Copy text={text} name={t('as_curl_copy')} />
          </div>
        )
      })}
    </>
  )
}
