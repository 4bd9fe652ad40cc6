// The audit log: who did what, when, and what it changed, newest first, each act a sentence.

import type { AuditLog, GetAuditLogsData, GetAuditLogsResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { writeExactly, zoneName } from '../../format/moment.ts'
import { whoIs } from '../../parts/actor.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { anyText, isId, period } from '../../parts/filter-values.ts'
import { type Choices, useMakers, withChosen } from '../../parts/makers.ts'
import {
  boundsOf,
  type FilterField,
  Narrow,
  narrowedTo,
  periodFields,
} from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager, sizeOf, sizes } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { Facts } from '../../ui/facts.tsx'
import { SelectField } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { Changes } from './changes.tsx'
import { acts, targets } from './known.ts'

const actors = ['MEMBER', 'KEY', 'STAFF', 'SYSTEM'] as const
const known = {
  ...{ search: anyText, actor_kind: actors, actor: isId, action: acts, target_kind: targets },
  ...{ ...period, target_id: anyText },
} as const

type Filters = Partial<Record<keyof typeof known, string>>

export default function Audit() {
  return (
    <Page title={t('audit')}>
      <Allowed right="audit">
        <Log />
      </Allowed>
    </Page>
  )
}

function queryOf(filters: Filters, zone: string): NonNullable<GetAuditLogsData['query']> {
  const { search, actor, target_id } = filters
  return {
    ...{ search, actor, target_id },
    actor_kind: actors.find((one) => one === filters.actor_kind),
    action: acts.find((one) => one === filters.action),
    target_kind: targets.find((one) => one === filters.target_kind),
    ...boundsOf(filters, zone),
  }
}

function Log() {
  const { place, clock } = useHere()
  const { filters, set } = useFilters({ ...known, cursor: anyText, size: sizes, at: isPath })
  const { cursor, size, at, ...narrowing } = filters
  const asked = queryOf(narrowing, clock.zone)
  const request = {
    url: '/audit-logs/',
    query: { ...asked, cursor, page_size: sizeOf(size) },
  } as const
  const list = useRead<GetAuditLogsData, GetAuditLogsResponse>(place, request)
  const isNarrowed = Object.keys(narrowing).length > 0
  const fields = useFields(narrowing)
  return (
    <>
      <Narrow fields={fields} filters={narrowing} set={(next) => set({ ...next, size })} />
      <Read of={list}>
        {(shown) => {
          const { results, next, previous } = shown
          return results.length === 0 ? (
            <Empty>
              {isOfOne(narrowing) ? (
                <NoneOfOne at={at} />
              ) : (
                <p>{t(isNarrowed || cursor !== undefined ? 'none_found' : 'no_audit_yet')}</p>
              )}
            </Empty>
          ) : (
            <>
              {isFollowable(filters, seldom) && !list.isPlaceholderData && (
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
      <SaveList
        of={list}
        path="/audit-logs/export/"
        query={asked}
        only={narrowedTo(fields, narrowing)}
      />
    </>
  )
}

/** Of one record, all that was done to it. */
const isOfOne = (filters: Filters): boolean => Object.keys(filters).join() === 'target_id'

/** A page of the dashboard, without its shop and mode. */
const isPath = (text: string): boolean => /^(\/[a-z\d-]+){1,3}$/i.test(text)

/** What was asked for is no decision, and stands on the record's own page: `at`, from there. */
function NoneOfOne({ at }: { at: string | undefined }) {
  const { to } = useHere()
  return (
    <>
      <p>{t('audit_none_of_one')}</p>
      {at !== undefined && (
        <p>
          <Link href={to(at)}>{t('audit_back')}</Link>
        </p>
      )}
    </>
  )
}

/** These have no index. */
const seldom = ['search', 'actor', 'action', 'target_kind'] as const

/** In the order of what is read of them. */
const inOrder = (choices: Choices, language: string): Choices =>
  [...choices].sort(([, one], [, other]) => one.localeCompare(other, language))

function useFields({ actor }: Filters): FilterField<keyof typeof known>[] {
  const { language } = useHere()
  const on = actor !== undefined
  const { member, key } = useMakers({ member: on, key: on })
  const named = [...member, ...key].find(([id]) => id === actor)?.[1]
  const done = acts.map((one) => [one, t(`did_${one}`, { who: '…' })] as const)
  const things = targets.map((one) => [one, t(`target_${one}`)] as const)
  return [
    { name: 'search', label: t('search'), is: 'search' },
    {
      ...{ name: 'actor_kind', label: t('audit_who') },
      is: actors.map((kind) => [kind, t(`actor_${kind}`)] as const),
    },
    {
      ...{ name: 'actor', label: t('audit_actor'), chosen: named },
      is: (chosen) => <ActorField chosen={chosen} />,
    },
    { name: 'action', label: t('audit_act'), is: inOrder(done, language) },
    { name: 'target_kind', label: t('audit_target'), is: inOrder(things, language) },
    ...periodFields(),
    { name: 'target_id', label: t('audit_one_record'), is: 'given' },
  ]
}

/** Whose act it was, by name: asked for once the form is opened. */
function ActorField({ chosen }: { chosen: string }) {
  const { member, key } = useMakers({ member: true, key: true })
  const all = [...member, ...key]
  return (
    <SelectField
      // Drawn anew once its choices are there: a native one chooses among those it has.
      key={all.length}
      label={t('audit_actor')}
      name="actor"
      defaultValue={chosen}
      options={[['', t('any_status')], ...withChosen(all, chosen)]}
    />
  )
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
