// API keys: what each may do, whether it works, when and from where it was last used.

import type {
  GetMerchantApiKeysData,
  GetMerchantApiKeysResponse,
  GetWebhookLogsData,
  GetWebhookLogsResponse,
  MerchantApiKey,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { Begin } from '../../parts/begin.tsx'
import { keyName } from '../../parts/makers.ts'
import { usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { Pager, Records } from '../../parts/records.tsx'
import { keyState } from '../../parts/states.ts'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { Section } from './section.tsx'

const orders = ['name', '-name'] as const

export default function KeyList() {
  const { place, to, may, moment } = useHere()
  const { query, paging } = usePaged({}, orders)
  const list = useThere(
    useRead<GetMerchantApiKeysData, GetMerchantApiKeysResponse>(place, {
      url: '/merchant-api-keys/',
      query,
    }),
  )
  const make = may('keys') && (
    <Link className="button act" href={to('/developers/keys/new')}>
      {t('key_new')}
    </Link>
  )
  const lastUse = ({ last_used_at, last_used_ip }: MerchantApiKey) =>
    last_used_at === null
      ? t('key_never_used')
      : [moment(last_used_at), last_used_ip].filter(Boolean).join(' · ')
  return (
    <Section of="keys" acts={make}>
      <LastFailure />
      <Read of={list}>
        {({ results, next, previous, count }) =>
          results.length === 0 ? (
            <Empty>
              <Begin
                text={t('no_keys_yet')}
                acts={[['/developers/keys/new', 'key_new', may('keys')]]}
              />
            </Empty>
          ) : (
            <>
              <Records
                caption={t('dev_keys')}
                rows={results}
                keyOf={({ id }) => id}
                sort={paging.sort}
                kept="keys"
                to={({ id }) => `/developers/keys/${id}`}
                columns={[
                  { name: 'name', order: 'name', of: (key) => <bdi>{keyName(key)}</bdi> },
                  {
                    name: 'status',
                    of: (key) => <Status of={keyState(key)} />,
                    at: 'side',
                    is: 'whole',
                  },
                  { name: 'key', of: (key) => `${key.key_prefix}…${key.last4}`, is: 'whole' },
                  { name: 'key_scope', of: ({ scope }) => t(`scope_${scope}`) },
                  { name: 'key_last_used', of: lastUse },
                ]}
              />
              <Pager newer={previous} older={next} count={count} {...paging} />
            </>
          )
        }
      </Read>
    </Section>
  )
}

/** Whoever comes because an order hangs is one press from the delivery that failed. */
function LastFailure() {
  const { place, to, moment } = useHere()
  const { data } = useRead<GetWebhookLogsData, GetWebhookLogsResponse>(place, {
    url: '/webhook-logs/',
    query: { status: 'FAILED', page_size: 1 },
  })
  const last = data?.results[0]
  if (last === undefined) return null
  return (
    <p>
      <Link href={to(`/developers/deliveries/${last.id}`)}>
        {t('delivery_last_failed', { event: last.event_type, at: moment(last.created_at) })}
      </Link>
    </p>
  )
}
