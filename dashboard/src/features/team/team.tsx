// The team: who may do what here, who is invited, whose account a second factor guards.

import { type ReactNode, useState } from 'react'
import type {
  DeleteMerchantInvitationsByIdData,
  GetMerchantInvitationsData,
  GetMerchantInvitationsResponse,
  GetMerchantMembersData,
  GetMerchantMembersResponse,
  Invitation,
  MerchantMember,
  PostMerchantInvitationsByIdResendData,
  PostMerchantInvitationsByIdResendResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import type { Role } from '../../data/rights.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { ToAudit } from '../../parts/record-page.tsx'
import { Pager, Records } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Asking } from '../../ui/asking.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button } from '../../ui/form.tsx'
import { Below, Empty, Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { InvitationForm, MemberActs } from './member-acts.tsx'

const page_size = 50
const orders = ['email', '-email', 'role', '-role'] as const

/** The page of the members that the address names. */
const useMembers = () => {
  const { place } = useHere()
  const { query, paging } = usePaged({}, orders)
  const list = useRead<GetMerchantMembersData, GetMerchantMembersResponse>(place, {
    url: '/merchant-members/',
    query,
  })
  return { list, paging }
}

/**
 * Beside the invitations: whoever sent one may have left, or stand on another page. What is shown
 * of the members already is not asked for again, where it is all of them.
 */
const useMemberNames = () => {
  const { place } = useHere()
  const { data } = useMembers().list
  const isPart = data !== undefined && (data.next !== null || data.previous !== null)
  const more = useRead<GetMerchantMembersData, GetMerchantMembersResponse>(
    place,
    { url: '/merchant-members/', query: { page: 1, page_size } },
    { on: isPart },
  )
  const known = [...(data?.results ?? []), ...(more.data?.results ?? [])]
  return new Map(known.map((member) => [member.id, nameOf(member)]))
}

export const roles: readonly Role[] = ['VIEWER', 'DEVELOPER', 'FINANCE', 'ADMIN', 'OWNER']

export default function Team() {
  return (
    <Page title={t('team')}>
      <Members>
        <Invitations>
          <section>
            <h2>{t('team_roles')}</h2>
            <Facts isProse of={roles.map((role) => [t(`role_${role}`), t(`role_${role}_how`)])} />
          </section>
        </Invitations>
      </Members>
    </Page>
  )
}

const nameOf = ({ first_name, last_name, email }: MerchantMember): string =>
  `${first_name} ${last_name}`.trim() || email

function Members({ children }: { children: ReactNode }) {
  const { moment, me } = useHere()
  const { list: read, paging } = useMembers()
  const list = useThere(read)
  return (
    <section>
      <h2>{t('team_members')}</h2>
      <Read of={list}>
        {({ results, next, previous, count }) => (
          <>
            <Records
              caption={t('team_members')}
              rows={results}
              keyOf={({ id }) => id}
              sort={paging.sort}
              kept="members"
              columns={[
                {
                  name: 'name',
                  of: (member) => (
                    <bdi>
                      {nameOf(member)}
                      {member.email === me.member.email && ` (${t('team_you')})`}
                    </bdi>
                  ),
                },
                {
                  name: 'role',
                  order: 'role',
                  of: ({ role }) => t(`role_${role}`),
                  at: 'side',
                  is: 'whole',
                },
                { name: 'email', order: 'email', of: ({ email }) => <bdi>{email}</bdi> },
                { name: 'second_factor', of: (member) => <Guard of={member} /> },
                {
                  name: 'team_last_seen',
                  of: ({ last_login_at }) =>
                    last_login_at === null ? t('team_never') : moment(last_login_at),
                },
              ]}
              acts={(member) => (
                <>
                  <MemberActs
                    of={member}
                    name={nameOf(member)}
                    isLastOwner={
                      member.role === 'OWNER' &&
                      [next, previous].every((page) => page === null) &&
                      results.filter(({ role }) => role === 'OWNER').length === 1
                    }
                  />
                  <ToAudit of={member.id} name={nameOf(member)} />
                </>
              )}
            />
            <Pager newer={previous} older={next} count={count} {...paging} />
          </>
        )}
      </Read>
      <Below of={list}>{children}</Below>
    </section>
  )
}

const Guard = ({ of: { totp_enabled } }: { of: MerchantMember }) => (
  <Status
    of={
      totp_enabled
        ? { shape: 'done', word: 'second_factor_on' }
        : { shape: 'held', word: 'second_factor_off' }
    }
  />
)

const address = '/merchant-invitations/' as const

/** `children`: what stands beside the invitations, on a phone below them. */
function Invitations({ children }: { children: ReactNode }) {
  const { place, may } = useHere()
  const on = may('members', 'read')
  const read = (status: 'PENDING' | 'EXPIRED') =>
    ({ url: address, query: { status, page_size } }) as const
  const list = useRead<GetMerchantInvitationsData, GetMerchantInvitationsResponse>(
    place,
    read('PENDING'),
    { on },
  )
  const over = useRead<GetMerchantInvitationsData, GetMerchantInvitationsResponse>(
    place,
    read('EXPIRED'),
    { on },
  )
  const isFetched = list.isFetched && over.isFetched
  const [sent, setSent] = useState<string>()
  return (
    <div className="columns">
      <section>
        <h2>{t('team_invitations')}</h2>
        <Allowed right="members" to="read">
          <Read of={list}>
            {({ results }) =>
              isFetched && (
                <Invited
                  of={[...results, ...(over.data?.results ?? [])]}
                  sent={sent}
                  onSent={setSent}
                />
              )
            }
          </Read>
          <Below of={{ isFetched }}>
            <Allowed right="members">
              <div data-key="n">
                <InvitationForm roles={roles} />
              </div>
            </Allowed>
          </Below>
        </Allowed>
      </section>
      <Below of={{ isFetched: isFetched || !on }}>{children}</Below>
    </div>
  )
}

/** `sent`: the one that was sent again; it changes lists meanwhile, and with them its row. */
type Sending = Readonly<{ sent: string | undefined; onSent: (id: string) => void }>

/** One whose time is over stands here too: the person asks for it, and it is sent again. */
function Invited({ of, ...sending }: Sending & Readonly<{ of: readonly Invitation[] }>) {
  const { moment, may } = useHere()
  const names = useMemberNames()
  const mayInvite = (role: Role) => may(role === 'OWNER' ? 'owners' : 'members')
  if (of.length === 0) {
    return (
      <Empty>
        <p>{t('team_no_invitations')}</p>
      </Empty>
    )
  }
  return (
    <ul className="cards">
      {of.map(({ id, email, role, status, expires_at, invited_by, ...rest }) => (
        <li key={id} className="card">
          <span className="card-line">
            <b>
              <bdi>{email}</bdi>
            </b>
            <span>{t(`role_${role}`)}</span>
          </span>
          <span className={status === 'EXPIRED' ? 'wrong small line' : 'mute small line'}>
            {t(status === 'EXPIRED' ? 'team_expired' : 'team_until', { at: moment(expires_at) })}
            {status === 'EXPIRED' && mayInvite(role) && ` ${t('team_expired_how')}`}
            {names.has(invited_by) && (
              <bdi> · {t('team_invited_by', { name: names.get(invited_by) ?? '' })}</bdi>
            )}
          </span>
          {mayInvite(role) && (
            <InvitationActs
              of={{ id, email, role, status, expires_at, invited_by, ...rest }}
              {...sending}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

function InvitationActs({ of, sent, onSent }: Sending & Readonly<{ of: Invitation }>) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const path = { id: of.id }
  const resend = async () => {
    await call<PostMerchantInvitationsByIdResendData, PostMerchantInvitationsByIdResendResponse>({
      ...{ method: 'POST', url: '/merchant-invitations/{id}/resend/', path, place },
    })
    onSent(of.id)
    await readAgain(address)
  }
  const withdraw = async () => {
    await call<DeleteMerchantInvitationsByIdData, null>({
      ...{ method: 'DELETE', url: '/merchant-invitations/{id}/', path, place },
    })
    await readAgain(address)
  }
  return (
    <div className="row-acts">
      <Refused failure={failure} />
      <Button look="plain" busy={isBusy} onClick={() => run(resend)}>
        {t('team_resend')}
      </Button>
      <Asking
        name={t('team_withdraw')}
        text={t('team_withdraw_how', { email: of.email })}
        isGrave
        act={withdraw}
      />
      <p role="status">{sent === of.id && t('team_invited', { email: of.email })}</p>
    </div>
  )
}
