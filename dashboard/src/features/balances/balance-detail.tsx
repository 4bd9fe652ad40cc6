// One balance explained to the franc: each movement, what was left after it, and what caused it.

import type {
  GetMerchantBalancesData,
  GetMerchantBalancesResponse,
  GetMerchantLedgerEntriesData,
  GetMerchantLedgerEntriesResponse,
  LedgerEntry,
  MerchantBalance,
  PostSandboxBalancesData,
  PostSandboxBalancesResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { countryName } from '../../format/country.ts'
import { Offer, sumOf } from '../../parts/act.tsx'
import { anyText, period } from '../../parts/filter-values.ts'
import {
  boundsOf,
  type FilterField,
  Narrow,
  narrowedTo,
  periodFields,
} from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { RecordPage } from '../../parts/record-page.tsx'
import { RecordList, sizeOf, sizes } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { When } from '../../parts/tips.tsx'
import { Facts } from '../../ui/facts.tsx'
import { errorAt, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { type Acts, FrozenWhy, hasFrozen, useFreezes } from './frozen-why.tsx'
import { causeOf, movementOf, useSignedSum } from './movement.ts'

export default function BalanceDetail({ country }: { country: string }) {
  const { place, language } = useHere()
  const reading = useRead<GetMerchantBalancesData, GetMerchantBalancesResponse>(place, {
    url: '/merchant-balances/',
    query: { page_size: 100 },
  })
  const all = reading.data?.results ?? []
  const balance = all.find((one) => one.country === country)
  const currencies = all.map(({ currency }) => currency)
  const { acts, isLate } = useFreezes(balance)
  return (
    <RecordPage
      title={countryName(country, language)}
      back={{ path: '/balances', name: t('all_balances') }}
      // Both at once: what stands below is not pushed down by what comes.
      reading={isLate ? { ...reading, data: undefined } : reading}
    >
      {() =>
        balance === undefined ? (
          <Empty>
            <p>{t('not_here')}</p>
          </Empty>
        ) : (
          <>
            <Sums of={balance} among={currencies} acts={acts} />
            <Movements country={country} />
          </>
        )
      }
    </RecordPage>
  )
}

type SumsProps = Readonly<{
  of: MerchantBalance
  /** Those of all the merchant's balances. */
  among: readonly string[]
  acts: Acts
}>

function Sums({ of, among, acts }: SumsProps) {
  const { amountAmong, environment } = useHere()
  const write = (sum: string) => amountAmong(among)(sum, of.currency)
  return (
    <section className="outcome">
      <p className="mute">{t('available')}</p>
      <p className="sum">
        <b>{write(of.available_amount)}</b>
      </p>
      {of.is_frozen && <p className="wrong">{t('balance_frozen')}</p>}
      <Facts
        of={[
          [t('pending'), write(of.pending_amount)],
          [t('frozen_sum'), write(of.frozen_amount)],
        ]}
      />
      <p className="mute small">{t('pending_how')}</p>
      {hasFrozen(of) && <FrozenWhy acts={acts} />}
      {environment === 'SANDBOX' && <PlayMoney country={of.country} />}
    </section>
  )
}

function PlayMoney({ country }: { country: string }) {
  const { place, whyNot } = useHere()
  const fund = async (form: FormData) => {
    await call<PostSandboxBalancesData, PostSandboxBalancesResponse>({
      ...{ method: 'POST', url: '/sandbox/balances/', place },
      body: { country, amount: sumOf(textIn(form, 'amount'), 'amount') },
    })
    await readAllAgain()
  }
  return (
    <Offer
      name={t('play_money')}
      title={t('play_money')}
      act={t('play_money_act')}
      whyNot={whyNot('payins')}
      fields={['amount']}
      doing={fund}
    >
      {(failure) => (
        <TextField
          label={t('how_much')}
          error={errorAt(failure, 'amount')}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          maxLength={20}
          required
        />
      )}
    </Offer>
  )
}

const kinds = [
  ...(['PAYMENT', 'TOP_UP', 'PAYOUT', 'REFUND', 'SETTLEMENT', 'TRANSFER'] as const),
  ...(['INCIDENT', 'FREEZE', 'ADJUSTMENT', 'SANDBOX'] as const),
] as const satisfies readonly LedgerEntry['kind'][]

const directions = ['CREDIT', 'DEBIT'] as const

const known = { reference: anyText, kind: kinds, direction: directions, ...period } as const

const fieldsOf = (): FilterField<keyof typeof known>[] => [
  { name: 'reference', label: t('reference'), is: 'search' },
  {
    ...{ name: 'kind', label: t('entry_kind') },
    is: kinds.map((one) => [one, t(`entry_${one}`)] as const),
  },
  {
    ...{ name: 'direction', label: t('movement') },
    is: directions.map((one) => [one, t(`direction_${one}`)] as const),
  },
  ...periodFields(),
]

function Movements({ country }: { country: string }) {
  const { place, clock, amount, moment, language, to } = useHere()
  const { filters, set } = useFilters({ ...known, cursor: anyText, size: sizes })
  const { cursor, size, ...kept } = filters
  const kind = kinds.find((one) => one === kept.kind)
  const direction = directions.find((one) => one === kept.direction)
  const bounds = boundsOf(kept, clock.zone)
  const asked = { country, kind, direction, reference: kept.reference, ...bounds }
  const request = {
    url: '/merchant-ledger-entries/',
    query: { ...asked, cursor, page_size: sizeOf(size) },
  } as const
  const list = useRead<GetMerchantLedgerEntriesData, GetMerchantLedgerEntriesResponse>(
    place,
    request,
  )
  const sum = useSignedSum()
  const after = (of: LedgerEntry) => amount(of.balance_after, of.currency)
  const isNarrowed = Object.keys(kept).length > 0
  return (
    <section>
      <h2>{t('movements')}</h2>
      <p>
        <Link href={to(`/balances/${country}/statement`)}>{t('statement_of_month')}</Link>
      </p>
      <Narrow fields={fieldsOf()} filters={kept} set={(next) => set({ ...next, size })} />
      <RecordList
        of={list}
        above={(shown) =>
          isFollowable(filters, ['reference']) && (
            <NewerLine {...{ request, shown }} word="newer_movements" />
          )
        }
        caption={t('movements')}
        empty={t(isNarrowed ? 'none_found' : 'no_movement_yet')}
        go={(page) => set({ ...kept, ...page })}
        size={sizeOf(size)}
        keyOf={({ id }) => id}
        kept="movements"
        to={causeOf}
        columns={[
          { name: 'reference', of: ({ reference }) => reference, is: 'whole' },
          { name: 'date', of: ({ created_at }) => <When of={created_at} />, is: 'whole' },
          { name: 'movement', of: movementOf },
          { name: 'amount', of: sum, is: 'figure' },
          { name: 'balance_after', of: after, is: 'figure' },
        ]}
        card={(of) => ({
          head: sum(of),
          status: <span className="small">{moment(of.created_at)}</span>,
          left: movementOf(of),
          right: t('leaves', { amount: after(of) }),
        })}
      />
      <SaveList
        of={list}
        path="/merchant-ledger-entries/export/"
        query={asked}
        only={[countryName(country, language), ...narrowedTo(fieldsOf(), kept)]}
      />
    </section>
  )
}
