// Webhooks: where events are sent, whether each is on, and why it was switched off.

import type {
  GetMerchantWebhooksData,
  GetMerchantWebhooksResponse,
  MerchantWebhook,
  PostMerchantWebhooksData,
} from '../../api/types.gen.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { Begin } from '../../parts/begin.tsx'
import { Curl } from '../../parts/curl.tsx'
import { usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { Pager, Records } from '../../parts/records.tsx'
import { When } from '../../parts/tips.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { type State, Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { Section } from './section.tsx'
import { NewSecret, useNewSecret } from './webhook-rotation.tsx'

const orders = ['url', '-url', 'created_at', '-created_at'] as const
const url = '/merchant-webhooks/'
const read = () => readAgain(url)

type Health = Pick<MerchantWebhook, 'is_active' | 'switched_off_reason' | 'failing_since'>

export function webhookState({ is_active, switched_off_reason, failing_since }: Health): State {
  if (!is_active) {
    const isOurs = switched_off_reason !== ''
    return isOurs ? { shape: 'failed', word: 'hook_stopped' } : { shape: 'off', word: 'hook_off' }
  }
  if (failing_since !== null) return { shape: 'held', word: 'hook_failing' }
  return { shape: 'done', word: 'hook_on' }
}

function useWhy() {
  const { moment } = useHere()
  return ({ switched_off_reason: reason, is_active, failing_since }: Health): string => {
    if (reason !== '') return t(`hook_${reason}`)
    if (!is_active || failing_since === null) return ''
    return t('hook_failing_since', { at: moment(failing_since) })
  }
}

export default function WebhookList() {
  const { place, to, may } = useHere()
  const why = useWhy()
  const { shown, show } = useNewSecret()
  const secretOf = (hook: MerchantWebhook) => <NewSecret of={hook} read={read} onMade={show} />
  const { query, paging } = usePaged({}, orders, { first: '-created_at' })
  const list = useThere(
    useRead<GetMerchantWebhooksData, GetMerchantWebhooksResponse>(place, { url, query }),
  )
  const make = may('webhooks') && (
    <Link className="button act" href={to('/developers/webhooks/new')}>
      {t('hook_new')}
    </Link>
  )
  return (
    <Section of="webhooks" acts={make}>
      {shown}
      <Read of={list}>
        {({ results, next, previous, count }) =>
          results.length === 0 ? (
            <Empty>
              <NoWebhooks />
            </Empty>
          ) : (
            <>
              <Records
                caption={t('dev_webhooks')}
                rows={results}
                keyOf={({ id }) => id}
                sort={paging.sort}
                kept="webhooks"
                to={({ id }) => `/developers/webhooks/${id}`}
                acts={may('webhooks') ? secretOf : undefined}
                columns={[
                  {
                    name: 'hook_address',
                    order: 'url',
                    of: ({ url }) => <bdi>{url}</bdi>,
                    is: 'wide',
                  },
                  {
                    name: 'status',
                    of: (hook) => <Status of={webhookState(hook)} />,
                    at: 'side',
                    is: 'whole',
                  },
                  { name: 'hook_why', of: why },
                  { name: 'hook_events', of: eventCount },
                  {
                    name: 'description',
                    of: ({ description }) => description && <bdi>{description}</bdi>,
                  },
                  {
                    name: 'made_on',
                    order: 'created_at',
                    of: ({ created_at }) => <When of={created_at} />,
                    is: 'whole',
                  },
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

function NoWebhooks() {
  const { may } = useHere()
  const name = t('hook_new')
  return (
    <>
      <Begin
        text={t('no_hooks_yet')}
        acts={[['/developers/webhooks/new', 'hook_new', may('webhooks')]]}
      />
      <Curl<PostMerchantWebhooksData>
        name={t('curl_of', { name })}
        of={{
          ...{ method: 'POST', url },
          body: { url: 'https://shop.example.com/webhooks' },
        }}
      />
    </>
  )
}

const eventCount = ({ events }: MerchantWebhook): string =>
  events.length === 0 ? t('hook_all_events') : String(events.length)
