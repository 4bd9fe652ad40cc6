// What a role may not do is said, with who may: never a button that ends in a refusal. And what is
// not there is said as such, not as a failure.

import { type ComponentProps, type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import type { GetMerchantMembersData, GetMerchantMembersResponse } from '../api/types.gen.ts'
import { failureIn } from '../data/call.ts'
import { useRead } from '../data/queries.ts'
import { type Right, rolesThatMay } from '../data/rights.ts'
import { Link } from '../ui/link.tsx'
import { Empty, Read, type Reading } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { addressIn, type Purpose, type Reason, useHere } from './place.tsx'

type Props = Readonly<{ right: Right; to?: Purpose; children: ReactNode }>

/** The children for whoever has the right; else why not. */
export function Allowed({ right, to, children }: Props) {
  const reason = useHere().whyNot(right, to)
  return reason === undefined ? children : <Why of={reason} />
}

/** In place of a form. */
export const NotOffered = ({ of }: { of: Reason }) => (
  <Empty>
    <Why of={of} />
  </Empty>
)

/** Why something is not offered, and who of the team may do it. */
export const Why = ({ of }: { of: Reason }) => (
  <>
    <p className="mute">{of.text}</p>
    <WhatElse of={of} />
  </>
)

/** What its reader can do about it, and whom they may ask. */
export const WhatElse = ({ of: { right, way, asked_by } }: { of: Reason }) => (
  <>
    {way !== undefined && <Link href={way.href}>{way.name}</Link>}
    {right !== undefined && <WhoMay {...{ right, asked_by }} />}
  </>
)

/** The same list wherever it is asked for: it is read once in so long. */
const team_stale_ms = 300_000

/** The people of the team to ask, by their names, when somebody wants to know. */
function WhoMay({ right, asked_by }: Pick<Props, 'right'> & Pick<Reason, 'asked_by'>) {
  const { place, me, environment } = useHere()
  const isApproval = asked_by !== undefined
  const [isOpen, setIsOpen] = useState(false)
  const team = useRead<GetMerchantMembersData, GetMerchantMembersResponse>(
    place,
    { url: '/merchant-members/', query: { page_size: 100 } },
    { on: isOpen, stale_ms: team_stale_ms },
  )
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('who_may')}</summary>
      {isOpen && (
        <Read of={team}>
          {({ results }) => {
            // Its reader may not, whatever their role: else this would not be shown.
            const others = results.filter(
              ({ id, role, totp_enabled }) =>
                id !== me.member.id &&
                id !== asked_by &&
                rolesThatMay[right].includes(role) &&
                (!isApproval || environment === 'SANDBOX' || totp_enabled),
            )
            if (others.length === 0) return <p>{t('who_may_nobody')}</p>
            return (
              <ul>
                {others.map(({ id, first_name, last_name, email, role }) => (
                  <li key={id}>
                    <bdi>{`${first_name} ${last_name}`.trim() || email}</bdi> ({t(`role_${role}`)})
                  </li>
                ))}
              </ul>
            )
          }}
        </Read>
      )}
    </details>
  )
}

/** Also one that was there when it was first read: what is erased is shown no longer. */
export function isMissing({ error }: Pick<Reading<unknown>, 'error'>): boolean {
  const failure = failureIn(error)
  return failure?.is === 'refused' && [403, 404].includes(failure.status)
}

/** One record of the API: an id of the other mode, or of nobody, is not here. */
export function Found<T>(props: ComponentProps<typeof Read<T>>) {
  if (!isMissing(props.of)) return <Read {...props} />
  return (
    <Empty>
      <p>{t('not_here')}</p>
      <InOtherMode />
    </Empty>
  )
}

/** An id of the one mode does not exist in the other: it may be there. */
function InOtherMode() {
  const { merchant, environment } = useHere()
  const [location] = useLocation()
  if (!merchant.live_enabled) return null
  const other = environment === 'LIVE' ? 'SANDBOX' : 'LIVE'
  const [, , , ...below] = location.split('/')
  return (
    <p>
      <Link href={addressIn({ merchant, environment: other }, `/${below.join('/')}`)}>
        {t(`look_in_${other}`)}
      </Link>
    </p>
  )
}
