// The fields of a new payout: whom one has paid before, a number whose network is guessed, a sum.

import type { ReactNode } from 'react'
import type {
  GetTransactionsData,
  GetTransactionsResponse,
  ListedTransaction,
  NetworkRates,
  PayoutInitialize,
} from '../../api/types.gen.ts'
import type { Failure } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { FrozenHere, FrozenLines, useFrozen } from '../../parts/frozen.tsx'
import { currencyOf, sumLabel } from '../../parts/network-fields.tsx'
import { NumberFields, useNumber } from '../../parts/number-field.tsx'
import { useHere } from '../../parts/place.tsx'
import { errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Below, Loading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const fields = ['recipient.msisdn', 'country', 'method', 'amount', 'description']

type Props = Readonly<{
  rates: readonly NetworkRates[]
  body: PayoutInitialize | undefined
  failure: Failure | undefined
  onCheck: (body: PayoutInitialize) => void
  children: ReactNode
}>

export function PayoutFields({ rates, body, failure, onCheck, children }: Props) {
  const of = useNumber(rates, {
    number: body?.recipient.msisdn ?? '',
    chosen: body && { country: body.country, network: body.method },
  })
  const { currency } = of
  const frozen = useFrozen()
  const isFrozenIn = (at: string) => frozen.balances.some(({ country }) => country === at)
  const submit = async (form: FormData) => {
    const chosen = await of.whenGuessed()
    // A key may send it where no button does.
    if (isFrozenIn(chosen.country)) return
    onCheck({
      amount: textIn(form, 'amount'),
      currency: currencyOf(rates, chosen),
      country: chosen.country,
      method: chosen.network,
      recipient: { msisdn: of.number.trim() },
      description: textIn(form, 'description'),
    })
  }
  const recents = useRecents()
  const isFetched = recents.isFetched && frozen.isFetched
  const take = (row: ListedTransaction) => of.take(row.operation_msisdn, row.network_code)
  return (
    <>
      {!isFetched && <Loading />}
      <Below of={{ isFetched }}>
        <FrozenLines of={frozen.balances} />
        <Form name={t('new_payout')} failure={failure} fields={fields} onSubmit={submit}>
          <Recents rows={recents.data?.results ?? []} onChoose={take} />
          <NumberFields
            {...{ of, rates, failure, label: t('recipient_number') }}
            names={{ number: 'recipient.msisdn', network: 'method' }}
          />
          {isFrozenIn(of.chosen.country) ? (
            <FrozenHere />
          ) : (
            <>
              <SumFields {...{ body, failure, currency }} />
              {children}
            </>
          )}
        </Form>
      </Below>
    </>
  )
}

type SumProps = Pick<Props, 'body' | 'failure'> & Readonly<{ currency: string }>

const SumFields = ({ body, failure, currency }: SumProps) => (
  <>
    <TextField
      label={sumLabel(currency)}
      error={errorAt(failure, 'amount')}
      name="amount"
      inputMode="decimal"
      autoComplete="off"
      maxLength={20}
      defaultValue={body === undefined ? '' : String(body.amount)}
      required
    />
    <TextField
      label={t('description')}
      hint={t('optional')}
      error={errorAt(failure, 'description')}
      name="description"
      maxLength={255}
      defaultValue={body?.description ?? ''}
    />
  </>
)

const recents_max = 5

/** The last payouts: asked for by the screen already, beside the prices. */
export function useRecents() {
  const { place } = useHere()
  return useRead<GetTransactionsData, GetTransactionsResponse>(place, {
    url: '/transactions/',
    query: { transaction_type: 'RETRAIT', page_size: 25 },
  })
}

type RecentsProps = Readonly<{
  rows: readonly ListedTransaction[]
  onChoose: (of: ListedTransaction) => void
}>

/** The last recipients, each once. */
function Recents({ rows, onChoose }: RecentsProps) {
  const { phone } = useHere()
  const seen = new Map<string, ListedTransaction>()
  for (const row of rows) {
    if (!seen.has(row.operation_msisdn)) seen.set(row.operation_msisdn, row)
  }
  const recents = [...seen.values()].slice(0, recents_max)
  if (recents.length === 0) return null
  return (
    <fieldset>
      <legend>{t('paid_before')}</legend>
      <ul className="chips">
        {recents.map((row) => (
          <li key={row.operation_msisdn}>
            <button type="button" onClick={() => onChoose(row)}>
              <bdi>
                {[row.customer_name, phone(row.operation_msisdn)].filter(Boolean).join(' · ')}
              </bdi>
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
