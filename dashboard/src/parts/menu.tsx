// The menu: at the side of a desk in groups; on a telephone the first places at its foot, and the
// rest behind "menu".

import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { PayoutCounts } from '../api/types.gen.ts'
import { maySee } from '../data/rights.ts'
import { type Sign, SignIcon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { type Key, t } from '../words/translate.ts'
import { Badge, usePayoutCountsLater } from './payout-counts.tsx'
import { addressIn, type Here } from './place.tsx'

/** Its address is its name. */
type Entry = readonly [name: Key, sign: Sign]
type Group = Readonly<{ name: Key; entries: readonly Entry[] }>

/** At the foot of a telephone. */
const first: readonly Entry[] = [
  ['home', 'home'],
  ['payments', 'in'],
  ['payouts', 'out'],
  ['links', 'link'],
]

const groups: readonly Group[] = [
  {
    name: 'menu_money',
    entries: [
      ...first.slice(0, 3),
      ['balances', 'purse'],
      ['settlements', 'bank'],
      ['transfers', 'swap'],
    ],
  },
  {
    name: 'menu_sell',
    entries: [...first.slice(3), ['checkouts', 'basket'], ['customers', 'people']],
  },
  {
    name: 'menu_books',
    entries: [
      ['reports', 'book'],
      ['prices', 'tag'],
      ['networks', 'antenna'],
    ],
  },
  {
    name: 'menu_manage',
    entries: [
      ['developers', 'code'],
      ['team', 'person'],
      ['settings', 'gear'],
      ['audit', 'eye'],
    ],
  },
]

export function Menu({ here }: { here: Here }) {
  const [isOpen, setIsOpen] = useState(false)
  const counts = usePayoutCountsLater()
  const [location] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another place was chosen
  useEffect(() => setIsOpen(false), [location])
  return (
    <nav
      className={isOpen ? 'menu open' : 'menu'}
      aria-label={t('menu')}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape' || !isOpen) return
        setIsOpen(false)
        currentTarget.querySelector('button')?.focus()
      }}
      // It lies over the page: whoever goes on there by keys is to see where they are.
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) setIsOpen(false)
      }}
    >
      <div className="menu-foot">
        <Entries here={here} entries={first} counts={counts} />
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <SignIcon sign="menu" />
          <span>{t('menu')}</span>
        </button>
      </div>
      <div className="menu-all">
        {groups.map(({ name, entries }) => (
          <div key={name}>
            <h2 className="mute small">{t(name)}</h2>
            <Entries here={here} entries={entries} counts={counts} />
          </div>
        ))}
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
      {entries.map(([name, sign]) => {
        const path = name === 'home' ? '' : `/${name}`
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
