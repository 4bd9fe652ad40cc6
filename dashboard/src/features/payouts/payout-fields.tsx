// The fields of a new payout: whom one has paid before, a number whose network is guessed, a sum.

import type { ReactNode } from 'react'
import type {
  ListedTransaction,
  MerchantBalance,
  NetworkRates,
  PayoutInitialize,
} from '../../api/types.gen.ts'
import type { Failure } from '../../data/call.ts'
import { FrozenHere, FrozenLines, useFrozen } from '../../parts/frozen.tsx'
import { currencyOf, sumLabel } from '../../parts/network-fields.tsx'
import { type NumberChoice, NumberFields } from '../../parts/number-field.tsx'
import { useHere } from '../../parts/place.tsx'
import { Recents, useRecents } from '../../parts/recents.tsx'
import { errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Below, Loading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const fields = ['recipient.msisdn', 'country', 'method', 'amount', 'description']

type Props = Readonly<{
  of: NumberChoice
  rates: readonly NetworkRates[]
  body: PayoutInitialize | undefined
  failure: Failure | undefined
  onCheck: (body: PayoutInitialize) => void
  children: ReactNode
}>

export function PayoutFields({ of, rates, body, failure, onCheck, children }: Props) {
  const { currency } = of
  const frozen = useFrozen()
  const balance = frozen.all.find(({ country }) => country === of.chosen.country)
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
      recipient: { msisdn: of.bare },
      description: textIn(form, 'description'),
    })
  }
  const recents = useRecents('RETRAIT')
  const isFetched = recents.isFetched && frozen.isFetched
  const take = (row: ListedTransaction) => of.take(row.operation_msisdn, row.network_code)
  return (
    <>
      {!isFetched && <Loading />}
      <Below of={{ isFetched }}>
        <FrozenLines of={frozen.balances} />
        <Form name={t('new_payout')} failure={failure} fields={fields} onSubmit={submit}>
          <Recents legend={t('paid_before')} rows={recents.data?.results ?? []} onChoose={take} />
          <NumberFields
            {...{ of, rates, failure, label: t('recipient_number') }}
            names={{ number: 'recipient.msisdn', network: 'method' }}
          />
          {isFrozenIn(of.chosen.country) ? (
            <FrozenHere />
          ) : (
            <>
              <SumFields {...{ body, failure, currency }} balance={balance} />
              {children}
            </>
          )}
        </Form>
      </Below>
    </>
  )
}

type SumProps = Pick<Props, 'body' | 'failure'> &
  Readonly<{ currency: string; balance: MerchantBalance | undefined }>

function SumFields({ body, failure, currency, balance }: SumProps) {
  const { amount } = useHere()
  return (
    <>
      <TextField
        label={sumLabel(currency)}
        hint={
          balance &&
          t('available_is', { amount: amount(balance.available_amount, balance.currency) })
        }
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
}
