// The calls behind what is on the screen, as a program would make them: for a developer who wants
// the same from a server. It stands below lists and records, whose files come with it.

import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Operation, Place, Request } from '../data/call.ts'
import { queries } from '../data/queries.ts'
import { Copy } from '../ui/copy.tsx'
import { Code } from '../ui/facts.tsx'
import { useIsWide } from '../ui/wide.ts'
import { t } from '../words/translate.ts'
import { curlOf } from './curl.tsx'
import { useHere } from './place.tsx'

/** At a desk, for whoever may make keys; closed again on another screen. */
export function Calls() {
  const { may } = useHere()
  const [location] = useLocation()
  const search = useSearch()
  const isSettled = useIsSettled()
  if (!useIsWide() || !isSettled || !may('keys')) return null
  return <Fold key={location + search} />
}

function Fold() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="calls" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('as_curl')}</summary>
      {isOpen && <OnScreen />}
    </details>
  )
}

function OnScreen() {
  const { place } = useHere()
  return (
    <>
      <p className="hint">{t('curl_how')}</p>
      {readsOnScreen(place).map((request) => {
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

/** What members ask for and keys may not: the first part of its path. */
const of_members = [
  ...['audit-logs', 'auth', 'kyc', 'merchant-api-keys', 'merchant-invitations'],
  ...['merchant-members', 'merchant-payout-limits', 'merchant-payout-methods'],
]

type Read = Pick<Request<Operation>, 'url' | 'path' | 'query'>

/** What the screen that is shown has read of this merchant, each once, the shortest path first. */
function readsOnScreen(place: Place): Read[] {
  const keys = queries.getQueryCache().findAll({ type: 'active' })
  return keys
    .map(({ queryKey }) => queryKey)
    .filter(isKey)
    .filter(([, merchant, mode]) => merchant === place.merchant && mode === place.environment)
    .map(([url, , , path, query]) => ({ url, path, query }))
    .filter(({ url }) => !of_members.includes(url.split('/')[1] ?? ''))
    .sort((a, b) => a.url.length - b.url.length)
}

type Key = readonly [string, string, string, object | undefined, object | undefined]

/** `useRead`'s own: what reads beside it has one part more. */
const isKey = (key: readonly unknown[]): key is Key =>
  key.length === 5 && typeof key[0] === 'string'

const settles_ms = 100

/**
 * Whether what a screen begins with is read, and what that leads to: what stands below would be
 * pushed down before. It stays so.
 */
function useIsSettled(): boolean {
  const [isSettled, setIsSettled] = useState(false)
  const isReading = useIsFetching() > 0
  useEffect(() => {
    if (isReading || isSettled) return
    const timer = setTimeout(() => setIsSettled(true), settles_ms)
    return () => clearTimeout(timer)
  }, [isReading, isSettled])
  return isSettled
}
