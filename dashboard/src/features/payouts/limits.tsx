// The limits on one's own payouts: how much one may be, how much a day, above what a second member
// is asked. A stricter one counts at once; a looser one waits, and another member may confirm it.

import type {
  DeleteMerchantPayoutLimitsByIdData,
  DeleteMerchantPayoutLimitsByIdResponse,
  GetMerchantApiKeysData,
  GetMerchantApiKeysResponse,
  GetMerchantPayoutLimitsData,
  GetMerchantPayoutLimitsResponse,
  PayoutLimit,
  PostMerchantPayoutLimitsByIdCancelData,
  PostMerchantPayoutLimitsByIdCancelResponse,
  PostMerchantPayoutLimitsByIdConfirmData,
  PostMerchantPayoutLimitsByIdConfirmResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { byCountry, countryName } from '../../format/country.ts'
import { ChangeRead, Offer } from '../../parts/act.tsx'
import { Why } from '../../parts/allowed.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { keyName } from '../../parts/makers.ts'
import { useHere } from '../../parts/place.tsx'
import { ToAudit } from '../../parts/record-page.tsx'
import { Page } from '../../parts/shell.tsx'
import { PayoutTabs } from '../../parts/tabs.tsx'
import { type FactRow, Facts } from '../../ui/facts.tsx'
import { textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { ChangeLimit, NewLimit } from './limit-form.tsx'

export default function Limits() {
  const { place, language, merchant, whyNot } = useHere()
  const list = useRead<GetMerchantPayoutLimitsData, GetMerchantPayoutLimitsResponse>(place, {
    url: '/merchant-payout-limits/',
    query: { page_size: 100 },
  })
  const why = whyNot('settings')
  return (
    <Page title={t('limits')}>
      <PayoutTabs />
      <p>{t('limits_how')}</p>
      {why === undefined ? <NewLimit /> : <Why of={why} />}
      <Read of={list}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('no_limits_yet')}</p>
            </Empty>
          ) : (
            <ul className="cards">
              {byCountry(results, language, merchant.country).map((limit) => (
                <li key={limit.id}>
                  <Limit of={limit} />
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </Page>
  )
}

type Figures = Pick<PayoutLimit, 'per_payout' | 'per_day' | 'approval_above'>

/** Of `whose`, now or to come: only the whole merchant's limit asks for a second approval. */
function useFigures(): (of: Figures, whose: PayoutLimit) => FactRow[] {
  const { amount } = useHere()
  return (of, { currency, api_key }) => {
    const write = (
      sum: string | null,
      none: 'limit_none' | 'limit_approval_none' = 'limit_none',
    ) => (sum === null ? t(none) : amount(sum, currency))
    return [
      [t('limit_per_payout'), write(of.per_payout)],
      [t('limit_per_day'), write(of.per_day)],
      [
        t('limit_approval_above'),
        api_key === null && write(of.approval_above, 'limit_approval_none'),
      ],
    ]
  }
}

function Limit({ of }: { of: PayoutLimit }) {
  const { language, whyNot } = useHere()
  const figures = useFigures()
  const country = countryName(of.country, language)
  const mayChange = whyNot('settings') === undefined
  return (
    <section className="balance" aria-label={country}>
      <h2>{country}</h2>
      <p className="mute">
        {of.api_key === null ? t('limit_of_all') : <KeyName id={of.api_key} />}
      </p>
      <Facts
        of={[
          ...figures(of, of),
          [t('limit_used_today'), of.per_day !== null && <Used of={of} day={of.per_day} />],
        ]}
      />
      {of.next !== null && (
        <div className="warned">
          <p>
            {t(of.next.is_dropped ? 'limit_ends' : 'limit_next')}{' '}
            <Countdown to={of.next.effective_at} />
          </p>
          {!of.next.is_dropped && <Facts of={figures(of.next, of)} />}
          {mayChange && <NextActs of={of} next={of.next} />}
        </div>
      )}
      {mayChange && (
        <div className="acts">
          <ChangeLimit of={of} />
          <Drop of={of} />
        </div>
      )}
      <ToAudit
        of={of.id}
        name={of.api_key === null ? country : [country, t('limit_of_key')].join(', ')}
      />
    </section>
  )
}

/** A sum, and how much of a day's limit it is: a bar that is drawn from the API's own decimals. */
function Used({ of: { used_today, currency }, day }: { of: PayoutLimit; day: string }) {
  const { amount } = useHere()
  const used = amount(used_today, currency)
  return (
    <>
      {used}
      <meter
        max={day}
        value={used_today}
        aria-label={t('limit_used_today')}
        aria-valuetext={t('limit_used_of', { used, limit: amount(day, currency) })}
      />
    </>
  )
}

/** Asked for once for the whole list; until then, or for one that is gone, its id. */
function KeyName({ id }: { id: string }) {
  const { place, to } = useHere()
  const { data } = useRead<GetMerchantApiKeysData, GetMerchantApiKeysResponse>(place, {
    url: '/merchant-api-keys/',
    query: { page_size: 100 },
  })
  const key = data?.results.find((one) => one.id === id)
  const name = key === undefined ? id : keyName(key)
  return (
    <>
      {t('limit_of_key')}{' '}
      <Link className="amid" href={to(`/developers/keys/${id}`)}>
        {name}
      </Link>
    </>
  )
}

type NextProps = Readonly<{ of: PayoutLimit; next: NonNullable<PayoutLimit['next']> }>

function NextActs({ of, next }: NextProps) {
  const { place, me } = useHere()
  const isOwn = next.requested_by === me.member.id
  const path = { id: of.id }
  const confirm = async (form: FormData) => {
    await call<
      PostMerchantPayoutLimitsByIdConfirmData,
      PostMerchantPayoutLimitsByIdConfirmResponse
    >({
      ...{ method: 'POST', url: '/merchant-payout-limits/{id}/confirm/', path, place },
      body: { effective_at: textIn(form, 'effective_at') },
      // Refused because another is pending by now: that one is shown.
    }).finally(readAllAgain)
  }
  const cancel = async () => {
    await call<PostMerchantPayoutLimitsByIdCancelData, PostMerchantPayoutLimitsByIdCancelResponse>({
      ...{ method: 'POST', url: '/merchant-payout-limits/{id}/cancel/', path, place },
    })
    await readAllAgain()
  }
  return (
    <div className="acts">
      <Offer
        name={t('limit_confirm')}
        title={t('limit_confirm')}
        act={t('confirm')}
        whyNot={
          next.may_confirm ? undefined : { text: t(isOwn ? 'cooling_own' : 'cooling_not_you') }
        }
        doing={confirm}
      >
        <p>{t('limit_confirm_how')}</p>
        <ChangeRead at={next.effective_at} />
      </Offer>
      <Offer
        name={t('limit_cancel')}
        title={t('limit_cancel')}
        act={t('limit_cancel')}
        doing={cancel}
      >
        <p>{t('limit_cancel_how')}</p>
      </Offer>
    </div>
  )
}

function Drop({ of }: { of: PayoutLimit }) {
  const { place } = useHere()
  const drop = async () => {
    await call<DeleteMerchantPayoutLimitsByIdData, DeleteMerchantPayoutLimitsByIdResponse>({
      ...{ method: 'DELETE', url: '/merchant-payout-limits/{id}/', path: { id: of.id }, place },
    })
    await readAllAgain()
  }
  return (
    <Offer name={t('limit_drop')} title={t('limit_drop')} act={t('limit_drop')} doing={drop}>
      <p>{t('limit_drop_how')}</p>
    </Offer>
  )
}
