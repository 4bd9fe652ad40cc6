// What people come for most, one press away: who may do none of it sees nothing here.

import type { Right } from '../../data/rights.ts'
import { useHere } from '../../parts/place.tsx'
import { Link } from '../../ui/link.tsx'
import { type Key, t } from '../../words/translate.ts'

type FirstAct = Readonly<{ right: Right; path: string; name: Key }>

const all: readonly FirstAct[] = [
  { right: 'payins', path: '/payments/new', name: 'new_payment' },
  { right: 'links', path: '/links/new', name: 'new_link' },
  { right: 'payouts', path: '/payouts/new', name: 'new_payout' },
  { right: 'settlements', path: '/settlements/new', name: 'new_settlement' },
]

export function FirstActs() {
  const { may, to } = useHere()
  const offered = all.filter(({ right }) => may(right))
  if (offered.length === 0) return null
  return (
    <ul className="chips first-acts" aria-label={t('first_acts')}>
      {offered.map(({ path, name }) => (
        <li key={path}>
          <Link className="chip" href={to(path)}>
            {t(name)}
          </Link>
        </li>
      ))}
    </ul>
  )
}
