// The menu: at the side of a desk in groups; on a telephone the first places at its foot, and the
// rest behind "menu".

import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { PayoutCounts } from '../api/types.gen.ts'
import { maySee } from '../data/rights.ts'
import { type Sign, SignIcon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { type Key, t } from '../words/translate.ts'
import { Badge, usePayoutCountsLater } from './payout-counts.tsx'
import { addressIn, type Here } from './place.tsx'

type Entry = Readonly<{ path: string; name: Key; sign: Sign }>
type Group = Readonly<{ name: Key; entries: readonly Entry[] }>

/** At the foot of a telephone. */
const first: readonly Entry[] = [
  { path: '', name: 'home', sign: 'home' },
  { path: '/payments', name: 'payments', sign: 'in' },
  { path: '/payouts', name: 'payouts', sign: 'out' },
  { path: '/links', name: 'links', sign: 'link' },
]

const groups: readonly Group[] = [
  {
    name: 'menu_money',
    entries: [
      ...first.slice(0, 3),
      { path: '/balances', name: 'balances', sign: 'purse' },
      { path: '/settlements', name: 'settlements', sign: 'bank' },
      { path: '/transfers', name: 'transfers', sign: 'swap' },
    ],
  },
  {
    name: 'menu_sell',
    entries: [
      ...first.slice(3),
      { path: '/checkouts', name: 'checkouts', sign: 'basket' },
      { path: '/customers', name: 'customers', sign: 'people' },
    ],
  },
  {
    name: 'menu_books',
    entries: [
      { path: '/reports', name: 'reports', sign: 'book' },
      { path: '/prices', name: 'prices', sign: 'tag' },
      { path: '/networks', name: 'networks', sign: 'antenna' },
    ],
  },
  {
    name: 'menu_manage',
    entries: [
      { path: '/developers', name: 'developers', sign: 'code' },
      { path: '/team', name: 'team', sign: 'person' },
      { path: '/settings', name: 'settings', sign: 'gear' },
      { path: '/audit', name: 'audit', sign: 'eye' },
    ],
  },
]

export function Menu({ here }: { here: Here }) {
  const [isOpen, setIsOpen] = useState(false)
  const counts = usePayoutCountsLater()
  const [location] = useLocation()
  const opener = useRef<HTMLButtonElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another place was chosen
  useEffect(() => setIsOpen(false), [location])
  return (
    <nav
      className={isOpen ? 'menu open' : 'menu'}
      aria-label={t('menu')}
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !isOpen) return
        setIsOpen(false)
        opener.current?.focus()
      }}
    >
      <div className="menu-all" id="menu-all">
        {groups.map(({ name, entries }) => (
          <div key={name}>
            <h2 className="mute small">{t(name)}</h2>
            <Entries here={here} entries={entries} counts={counts} />
          </div>
        ))}
      </div>
      <div className="menu-foot">
        <Entries here={here} entries={first} counts={counts} />
        <button
          type="button"
          ref={opener}
          aria-expanded={isOpen}
          aria-controls="menu-all"
          onClick={() => setIsOpen(!isOpen)}
        >
          <SignIcon sign="menu" />
          <span>{t('menu')}</span>
        </button>
      </div>
    </nav>
  )
}

type EntriesProps = Readonly<{
  here: Here
  entries: readonly Entry[]
  counts: PayoutCounts | undefined
}>

function Entries({ here, entries, counts }: EntriesProps) {
  const [location] = useLocation()
  return (
    <ul>
      {entries.map(({ path, name, sign }) => {
        if (!maySee(here.merchant, path)) return null
        const address = addressIn(here, path)
        const isIn = path !== '' && location.startsWith(`${address}/`)
        const isHere = location === address || location === `${address}/`
        return (
          <li key={name}>
            <Link href={address} aria-current={isHere ? 'page' : isIn ? 'true' : undefined}>
              <SignIcon sign={sign} />
              <span>{t(name)}</span>
            </Link>
            {path === '/payouts' && <Badge of={counts} />}
          </li>
        )
      })}
    </ul>
  )
}
