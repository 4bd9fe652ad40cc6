// The fields of a new payout: whom one has paid before, a number whose network is guessed, a sum.

import { type ReactNode, useState } from 'react'
import type {
  GetTransactionsData,
  GetTransactionsResponse,
  NetworkRates,
  PayoutInitialize,
  Transaction,
} from '../../api/types.gen.ts'
import type { Failure } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { writeCurrency } from '../../format/amount.ts'
import { writePhone } from '../../format/phone.ts'
import { firstOf, NetworkFields } from '../../parts/network-fields.tsx'
import { useHere } from '../../parts/place.tsx'
import { errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { predict } from './check-payout.ts'

const fields = ['recipient.msisdn', 'country', 'method', 'amount', 'description']

type Props = Readonly<{
  rates: readonly NetworkRates[]
  body: PayoutInitialize | undefined
  failure: Failure | undefined
  onCheck: (body: PayoutInitialize) => void
  children: ReactNode
}>

export function PayoutFields({ rates, body, failure, onCheck, children }: Props) {
  const { place, merchant } = useHere()
  const [number, setNumber] = useState(body?.recipient.msisdn ?? '')
  const [chosen, setChosen] = useState(
    body === undefined
      ? firstOf(rates, merchant.country)
      : { country: body.country, network: body.method },
  )
  const [isGuessed, setIsGuessed] = useState(false)
  const rate = rates.find(({ network_code }) => network_code === chosen.network)
  const currency = rate?.currency ?? 'XOF'
  const guess = async () => {
    if (number.trim() === '') return
    const found = await predict(place, number.trim()).catch(() => undefined)
    const known = rates.find(({ network_code }) => network_code === found?.network)
    setIsGuessed(known !== undefined)
    if (known) setChosen({ country: known.country_code, network: known.network_code })
  }
  const choose = (of: Transaction) => {
    setNumber(of.operation_msisdn)
    setIsGuessed(false)
    const known = rates.find(({ network_code }) => network_code === of.network_code)
    if (known) setChosen({ country: known.country_code, network: known.network_code })
  }
  const submit = (form: FormData) =>
    onCheck({
      amount: textIn(form, 'amount'),
      currency,
      country: chosen.country,
      method: chosen.network,
      recipient: { msisdn: number.trim() },
      description: textIn(form, 'description'),
    })
  return (
    <Form name={t('new_payout')} failure={failure} fields={fields} onSubmit={submit}>
      <Recents onChoose={choose} />
      <TextField
        label={t('receiver_number')}
        hint={t('receiver_number_hint')}
        error={errorAt(failure, 'recipient.msisdn')}
        name="msisdn"
        type="tel"
        autoComplete="off"
        maxLength={32}
        value={number}
        onInput={({ currentTarget: { value } }) => setNumber(value)}
        onBlur={guess}
        required
      />
      <NetworkFields
        {...{ rates, chosen, failure, onChoose: setChosen, name: 'method' }}
        hint={isGuessed ? t('network_guessed') : undefined}
      />
      <SumFields {...{ body, failure, currency }} />
      {children}
    </Form>
  )
}

type SumProps = Pick<Props, 'body' | 'failure'> & Readonly<{ currency: string }>

const SumFields = ({ body, failure, currency }: SumProps) => (
  <>
    <TextField
      label={t('how_much_in', { currency: writeCurrency(currency) })}
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

/** The last receivers, each once. */
function Recents({ onChoose }: { onChoose: (of: Transaction) => void }) {
  const { place } = useHere()
  const { data } = useRead<GetTransactionsData, GetTransactionsResponse>(place, {
    url: '/transactions/',
    query: { transaction_type: 'RETRAIT', page_size: 25 },
  })
  const seen = new Map<string, Transaction>()
  for (const row of data?.results ?? []) {
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
              {writePhone(row.operation_msisdn)}
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
