// The audit log: who did what, when, and what it changed, newest first, each act a sentence.

import { Link } from 'wouter'
import type { AuditLog, GetAuditLogsData, GetAuditLogsResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { edgeOfDay, writeExactly, zoneName } from '../../format/moment.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { Changes } from './changes.tsx'

const page_size = 25
const actors = ['MEMBER', 'KEY', 'STAFF', 'SYSTEM'] as const
const looksLikeDay = /^\d{4}-\d\d-\d\d$/

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
  const { filters, set } = useFilters(['target_id', 'actor_kind', 'from', 'to', 'cursor'])
  const { cursor, ...narrowing } = filters
  const { from = '', to = '', target_id } = narrowing
  const list = useRead<GetAuditLogsData, GetAuditLogsResponse>(place, {
    url: '/audit-logs/',
    query: {
      ...{ page_size, target_id, cursor },
      actor_kind: actors.find((one) => one === narrowing.actor_kind),
      ...(looksLikeDay.test(from) && { created_at__gte: edgeOfDay(from, 'begins', clock.zone) }),
      ...(looksLikeDay.test(to) && { created_at__lte: edgeOfDay(to, 'ends', clock.zone) }),
    },
  })
  const isNarrowed = Object.keys(narrowing).length > 0
  return (
    <>
      <Narrowing key={JSON.stringify(narrowing)} filters={narrowing} set={set} />
      <Read of={list}>
        {({ results, next, previous }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t(isNarrowed || cursor !== undefined ? 'none_found' : 'no_audit_yet')}</p>
            </Empty>
          ) : (
            <>
              <ol className="cards">
                {results.map((entry) => (
                  <Entry key={entry.id} of={entry} />
                ))}
              </ol>
              <Pager
                newer={cursor === undefined ? null : previous}
                older={next}
                go={(at) => set({ ...narrowing, ...at })}
              />
              <p className="mute small">{t('times_of', { zone: zoneName(clock.zone) })}</p>
            </>
          )
        }
      </Read>
    </>
  )
}

type Filters = Readonly<Partial<Record<'target_id' | 'actor_kind' | 'from' | 'to', string>>>
type NarrowingProps = Readonly<{ filters: Filters; set: (next: Filters) => void }>

const Narrowing = ({ filters, set }: NarrowingProps) => (
  <search>
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const read = (name: string) => textIn(form, name) || undefined
        const { target_id } = filters
        const of = target_id === undefined ? {} : { target_id }
        set({ ...of, actor_kind: read('actor_kind'), from: read('from'), to: read('to') })
      }}
    >
      <details open={Object.keys(filters).length > 0}>
        <summary>{t('narrow')}</summary>
        <div className="filter-row">
          <SelectField
            label={t('audit_who')}
            name="actor_kind"
            defaultValue={filters.actor_kind ?? ''}
            options={[
              ['', t('any_status')],
              ...actors.map((kind) => [kind, t(`actor_${kind}`)] as const),
            ]}
          />
          <TextField label={t('from')} type="date" name="from" defaultValue={filters.from} />
          <TextField label={t('until')} type="date" name="to" defaultValue={filters.to} />
        </div>
        <Button type="submit" look="plain">
          {t('show')}
        </Button>
        {Object.keys(filters).length > 0 && (
          <Button look="plain" onClick={() => set({})}>
            {t('remove_all')}
          </Button>
        )}
      </details>
    </form>
  </search>
)

/** A name of somebody’s own choice, kept apart from the direction of the sentence around it. */
const isolated = (name: string): string => `\u2068${name}\u2069`

function whoIs({ name, kind }: AuditLog['actor']): string {
  if (name === '') return t(`actor_${kind}`)
  return kind === 'KEY' ? t('actor_named_KEY', { name: isolated(name) }) : isolated(name)
}

function Entry({ of }: { of: AuditLog }) {
  const { clock } = useHere()
  const { action, actor, before, after } = of
  const who = whoIs(actor)
  return (
    <li>
      <details className="card">
        <summary>
          <span className="act-said">{t(`did_${action}`, { who })}</span>
          <time className="mute small line" dateTime={of.created_at}>
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
