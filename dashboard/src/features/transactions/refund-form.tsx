// Giving a payment back: how much and why, then what the API says it costs, then the button with
// the sum. The key is made with what was checked, so a lost answer can be asked for again.

import { useState } from 'react'
import type {
  TransactionDetail as Detail,
  GetTransactionsByIdData,
  GetTransactionsByIdResponse,
  MerchantBalance,
  PostPaymentsByPaymentIdRefundsData,
  PostPaymentsByPaymentIdRefundsPreviewData,
  PostPaymentsByPaymentIdRefundsPreviewResponse,
  PostPaymentsByPaymentIdRefundsResponse,
  RefundCreate,
  RefundPreview,
} from '../../api/types.gen.ts'
import { CallFailed, call, type Failure, failureIn } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { isZero } from '../../format/amount.ts'
import { writePhone } from '../../format/phone.ts'
import { Confirm, sumOf, useGo } from '../../parts/act.tsx'
import { NotOffered } from '../../parts/allowed.tsx'
import { FrozenHere, FrozenLines, useFrozen, withFrozen } from '../../parts/frozen.tsx'
import { bareOf, ownDigits } from '../../parts/number-field.tsx'
import { useHere } from '../../parts/place.tsx'
import { RecordPage } from '../../parts/record-page.tsx'
import { useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Empty } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { whyNoRefund } from './refunds.tsx'

export default function RefundForm({ id }: { id: string }) {
  const { place, whyNot } = useHere()
  const reading = useRead<GetTransactionsByIdData, GetTransactionsByIdResponse>(place, {
    url: '/transactions/{id}/',
    path: { id },
  })
  const mayNot = whyNot('payouts')
  const frozen = useFrozen(mayNot === undefined)
  return (
    <RecordPage
      title={t('refund_title')}
      back={{ path: `/payments/${id}`, name: t('back_to_payment') }}
      reading={withFrozen(reading, frozen)}
    >
      {(payment) => {
        const why = mayNot ?? whyNoRefund(payment)
        const here = frozen.balances.filter(({ country }) => country === payment.country_code)
        return why === undefined ? <Steps of={payment} frozen={here} /> : <NotOffered of={why} />
      }}
    </RecordPage>
  )
}

type Checked = Readonly<{ body: RefundCreate; preview: RefundPreview }>

type StepsProps = Readonly<{ of: Detail; frozen: readonly MerchantBalance[] }>

/** Without its texts: with others it is the same refund, which may have been made already. */
const deedOf = (id: string, { amount, recipient }: RefundCreate): object => [
  ...['refund', id, amount],
  recipient && ownDigits(recipient.msisdn),
]

function Steps({ of, frozen }: StepsProps) {
  const { place, amount } = useHere()
  const [checked, setChecked] = useState<Checked>()
  const [typed, setTyped] = useState(untyped)
  // Of whoever paid on a page there may be a number that nobody has confirmed: the API says so.
  const [isNumberAsked, setIsNumberAsked] = useState(of.operation_msisdn === '')
  const { isBusy, failure, run } = useAct()
  const check = (form: FormData) => {
    return run(async () => {
      const now = typedIn(form)
      setTyped(now)
      const asked = bodyOf(now)
      const preview = await call<
        PostPaymentsByPaymentIdRefundsPreviewData,
        PostPaymentsByPaymentIdRefundsPreviewResponse
      >({
        ...{ method: 'POST', url: '/payments/{payment_id}/refunds/preview/', place },
        ...{ path: { payment_id: of.id }, body: asked },
      }).catch((error) => {
        if (numberFaultIn(failureIn(error)) !== undefined) setIsNumberAsked(true)
        throw tooMuch(error, amount(of.refundable_amount, of.currency))
      })
      // Its sum, also where none was typed: what is left may be another by the time of the press.
      setChecked({ body: { ...asked, amount: preview.amount }, preview })
    })
  }
  if (checked !== undefined) {
    return <Sure of={of} checked={checked} onBack={() => setChecked(undefined)} />
  }
  // Not before: what is being given back counts at once, and its answer is still to come.
  if (isZero(of.refundable_amount)) {
    return (
      <Empty>
        <p>{t('refund_nothing_left')}</p>
      </Empty>
    )
  }
  const fields = ['amount', 'reason', 'reference', 'recipient.msisdn']
  return (
    <>
      <FrozenLines of={frozen} />
      <Form name={t('refund_title')} failure={failure} fields={fields} onSubmit={check}>
        {frozen.length > 0 ? (
          <FrozenHere />
        ) : (
          <>
            <Fields {...{ of, typed, failure, isNumberAsked }} />
            <Button type="submit" busy={isBusy}>
              {t('go_on')}
            </Button>
          </>
        )}
      </Form>
    </>
  )
}

/** The API leads programs to a field of the payment; the reader has its sum before them. */
function tooMuch(error: unknown, left: string): unknown {
  const failure = failureIn(error)
  if (failure?.is !== 'refused' || failure.code !== 'refund_too_large') return error
  const amount = [t('refund_too_much', { amount: left })]
  return new CallFailed({ is: 'fields', fields: { amount } })
}

type Typed = Readonly<Record<'amount' | 'msisdn' | 'reason' | 'reference', string>>

const untyped: Typed = { amount: '', msisdn: '', reason: '', reference: '' }

type FieldsProps = Readonly<{
  of: Detail
  typed: Typed
  failure: Failure | undefined
  /** From then on, also where something else is wrong: nothing that was typed is lost. */
  isNumberAsked: boolean
}>

const numberFaultIn = (failure: Failure | undefined): string | undefined =>
  errorAt(failure, 'recipient.msisdn') ?? errorAt(failure, 'recipient')

function Fields({ of, typed, failure, isNumberAsked }: FieldsProps) {
  const { amount } = useHere()
  return (
    <>
      <TextField
        label={t('refund_how_much')}
        hint={t('refund_all_hint', { amount: amount(of.refundable_amount, of.currency) })}
        error={errorAt(failure, 'amount')}
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
        defaultValue={typed.amount}
      />
      {isNumberAsked && (
        <TextField
          label={t('refund_number')}
          hint={t('refund_number_hint')}
          error={numberFaultIn(failure)}
          name="msisdn"
          type="tel"
          maxLength={32}
          defaultValue={typed.msisdn}
        />
      )}
      <TextField
        label={t('reason')}
        hint={t('optional')}
        error={errorAt(failure, 'reason')}
        name="reason"
        maxLength={255}
        defaultValue={typed.reason}
      />
      <TextField
        label={t('your_reference')}
        hint={t('optional')}
        error={errorAt(failure, 'reference')}
        name="reference"
        maxLength={100}
        defaultValue={typed.reference}
      />
    </>
  )
}

const typedIn = (form: FormData): Typed => ({
  amount: textIn(form, 'amount'),
  msisdn: textIn(form, 'msisdn'),
  reason: textIn(form, 'reason'),
  reference: textIn(form, 'reference'),
})

function bodyOf({ amount, msisdn, reason, reference }: Typed): RefundCreate {
  return {
    ...(amount !== '' && { amount: sumOf(amount, 'amount') }),
    ...(reason !== '' && { reason }),
    ...(reference !== '' && { reference }),
    ...(msisdn !== '' && { recipient: { msisdn: bareOf(msisdn) } }),
  }
}

/** Whole, as it is to be checked: that which the API says in part, where it is known here. */
function numberOf(
  { operation_msisdn }: Detail,
  { recipient }: RefundCreate,
  { msisdn_masked: masked }: RefundPreview,
): string {
  const whole = recipient?.msisdn ?? operation_msisdn
  const isIt = masked !== '' && ownDigits(whole).endsWith(masked.slice(masked.lastIndexOf('*') + 1))
  return isIt ? writePhone(whole) : masked
}

type SureProps = Readonly<{ of: Detail; checked: Checked; onBack: () => void }>

function Sure({ of, checked: { body, preview }, onBack }: SureProps) {
  const { place, amount } = useHere()
  const go = useGo()
  const write = (decimal: string) => amount(decimal, preview.currency)
  const refund = async (_: FormData, key: string) => {
    const path = { payment_id: of.id }
    await call<PostPaymentsByPaymentIdRefundsData, PostPaymentsByPaymentIdRefundsResponse>({
      ...{ method: 'POST', url: '/payments/{payment_id}/refunds/', path, body, key, place },
    })
    go(`/payments/${of.id}`)
    void readAllAgain()
  }
  return (
    <Confirm
      title={t('refund_check')}
      act={t('refund_act', { amount: write(preview.amount) })}
      doing={refund}
      onBack={onBack}
      deed={deedOf(of.id, body)}
      list="payments/refunds"
    >
      <Facts
        of={[
          [t('refund_payer_gets'), write(preview.payer_gets)],
          [t('recipient'), numberOf(of, body, preview)],
          [t('refund_way'), t(`refund_way_${preview.method}`)],
          [t('fees'), isZero(preview.fee) ? '' : write(preview.fee)],
          [
            t('refund_fees_returned'),
            isZero(preview.fees_returned) ? '' : write(preview.fees_returned),
          ],
          [t('balance_gives'), write(preview.leaves_balance)],
          [t('reason'), body.reason],
        ]}
      />
      {preview.waiting_for !== null && <p>{t(`refund_waits_${preview.waiting_for}`)}</p>}
    </Confirm>
  )
}
