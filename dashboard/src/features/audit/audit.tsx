// The audit log: who did what, when, and what it changed, newest first, each act a sentence.

import type { AuditLog, GetAuditLogsData, GetAuditLogsResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { writeExactly, zoneName } from '../../format/moment.ts'
import { whoIs } from '../../parts/actor.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { boundsOf, type FilterField, Narrow, periodFields } from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager, sizeOf } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { Changes } from './changes.tsx'

const names = ['search', 'actor_kind', 'from', 'to'] as const
const actors = ['MEMBER', 'KEY', 'STAFF', 'SYSTEM'] as const

export default function Audit() {
  return (
    <Page title={t('audit')}>
      <Allowed right="audit">
        <Log />
      </Allowed>
    </Page>
  )
}

function Log() {
  const { place, clock } = useHere()
  const { filters, set } = useFilters([...names, 'target_id', 'cursor', 'size'])
  const { cursor, size, ...narrowing } = filters
  const { search, target_id } = narrowing
  const actor_kind = actors.find((one) => one === narrowing.actor_kind)
  const asked = { target_id, search, actor_kind, ...boundsOf(narrowing, clock.zone) }
  const request = {
    url: '/audit-logs/',
    query: { ...asked, cursor, page_size: sizeOf(size) },
  } as const
  const list = useRead<GetAuditLogsData, GetAuditLogsResponse>(place, request)
  const isNarrowed = Object.keys(narrowing).length > 0
  const kinds = actors.map((kind) => [kind, t(`actor_${kind}`)] as const)
  const fields: FilterField<(typeof names)[number]>[] = [
    { name: 'search', label: t('search'), is: 'search' },
    { name: 'actor_kind', label: t('audit_who'), is: kinds },
    ...periodFields(),
  ]
  return (
    <>
      {target_id !== undefined && <OneRecord onAll={() => set({ ...narrowing, target_id: '' })} />}
      <Narrow fields={fields} filters={narrowing} set={(next) => set({ ...next, size })} />
      <Read of={list}>
        {(shown) => {
          const { results, next, previous } = shown
          return results.length === 0 ? (
            <Empty>
              <p>{t(isNarrowed || cursor !== undefined ? 'none_found' : 'no_audit_yet')}</p>
            </Empty>
          ) : (
            <>
              {isFollowable(filters) && !list.isPlaceholderData && (
                <NewerLine {...{ request, shown }} word="newer_audit" isHinted={false} />
              )}
              <ol className="cards">
                {results.map((entry) => (
                  <Entry key={entry.id} of={entry} />
                ))}
              </ol>
              <Pager
                newer={cursor === undefined ? null : previous}
                older={next}
                go={(at) => set({ ...narrowing, ...at })}
                size={sizeOf(size)}
              />
              <p className="mute small">{t('times_of', { zone: zoneName(clock.zone) })}</p>
            </>
          )
        }}
      </Read>
      <SaveList of={list} path="/audit-logs/export/" query={asked} />
    </>
  )
}

/** Where a record's page led here, its form has no field for it. */
const OneRecord = ({ onAll }: { onAll: () => void }) => (
  <p className="said">
    {t('audit_one_record')}{' '}
    <button type="button" className="as-link" onClick={onAll}>
      {t('audit_all')}
    </button>
  </p>
)

function Entry({ of }: { of: AuditLog }) {
  const { clock } = useHere()
  const { action, actor, before, after } = of
  const who = whoIs(actor)
  return (
    <li>
      <details className="card">
        <summary>
          <span className="act-said">{t(`did_${action}`, { who })}</span>
          <time className="mute small line" dateTime={of.created_at} title={of.created_at}>
            {writeExactly(of.created_at, clock)}
          </time>
        </summary>
        <Facts
          of={[
            [t('audit_target'), <Target key="target" of={of} />],
            [t('address'), of.ip],
            [t('mode'), of.environment === null ? '' : t(`mode_${of.environment}`)],
            [t('audit_action'), <code key="action">{action}</code>],
            [t('audit_request'), of.request_id],
          ]}
        />
        <Changes before={before} after={after} />
      </details>
    </li>
  )
}

type TargetKind = AuditLog['target']['kind']

/** Where a thing has a page of its own. */
const pages: Readonly<Partial<Record<TargetKind, string>>> = {
  api_key: '/developers/keys',
  checkout_session: '/checkouts',
  customer: '/customers',
  payment_link: '/links',
  settlement: '/settlements',
  transaction: '/payments',
  wallet_transfer: '/transfers',
  webhook: '/developers/webhooks',
  webhook_log: '/developers/deliveries',
}

function Target({ of: { target, environment } }: { of: AuditLog }) {
  const here = useHere()
  const page = pages[target.kind]
  const name = t(`target_${target.kind}`)
  const isHere = environment === null || environment === here.environment
  return (
    <>
      {page === undefined || !isHere ? (
        name
      ) : (
        <Link href={here.to(`${page}/${target.id}`)}>{name}</Link>
      )}
      <code className="line small">{target.id}</code>
    </>
  )
}
