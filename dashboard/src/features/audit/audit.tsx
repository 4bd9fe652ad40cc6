// The audit log: who did what, when, and what it changed, newest first.

import type { AuditLog, GetAuditLogsData, GetAuditLogsResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { writeExactly, zoneName } from '../../format/moment.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Code, Facts } from '../../ui/facts.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const page_size = 25

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
  const { filters, set } = useFilters(['target_id', 'cursor'])
  const list = useRead<GetAuditLogsData, GetAuditLogsResponse>(place, {
    url: '/audit-logs/',
    query: { page_size, ...filters },
  })
  return (
    <Read of={list}>
      {({ results, next, previous }) =>
        results.length === 0 ? (
          <Empty>
            <p>{t('no_audit_yet')}</p>
          </Empty>
        ) : (
          <>
            <ol className="cards">
              {results.map((entry) => (
                <Entry key={entry.id} of={entry} />
              ))}
            </ol>
            <Pager
              newer={filters.cursor === undefined ? null : previous}
              older={next}
              go={(at) => set({ ...filters, ...at })}
            />
            <p className="mute small">{t('times_of', { zone: zoneName(clock.zone) })}</p>
          </>
        )
      }
    </Read>
  )
}

const textOf = (change: object | null): string =>
  change === null ? '' : JSON.stringify(change, null, 2)

function Entry({ of }: { of: AuditLog }) {
  const { clock } = useHere()
  const { actor, target, before, after } = of
  return (
    <li>
      <details className="card">
        <summary>
          <span className="card-line">
            <b>
              <code>{of.action}</code>
            </b>
            <bdi className="small">{actor.name || t(`actor_${actor.kind}`)}</bdi>
          </span>
          <time className="mute small line" dateTime={of.created_at}>
            {writeExactly(of.created_at, clock)}
          </time>
        </summary>
        <Facts
          of={[
            [t('audit_target'), [target.kind, target.id].filter(Boolean).join(' · ')],
            [t('address'), of.ip],
            [t('mode'), of.environment === null ? '' : t(`mode_${of.environment}`)],
            [t('audit_request'), of.request_id],
          ]}
        />
        {before !== null && <Code name={t('audit_before')} text={textOf(before)} />}
        {after !== null && <Code name={t('audit_after')} text={textOf(after)} />}
      </details>
    </li>
  )
}
