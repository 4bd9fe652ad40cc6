// A customer's right to be forgotten: what would go, what stays and why not yet, as the API
// foresees it, before anybody is asked to confirm. The erasure itself has the last word.

import { useEffect, useRef, useState } from 'react'
import type {
  Customer,
  DeleteCustomersByIdData,
  ErasurePreview,
  GetCustomersByIdErasureData,
  GetCustomersByIdErasureResponse,
} from '../../api/types.gen.ts'
import { CallFailed, call, failureIn } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { Confirm, GuardedButton, useGo } from '../../parts/act.tsx'
import { useHere } from '../../parts/place.tsx'
import { WhenExactly } from '../../parts/tips.tsx'
import { Refused } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

/** Its first step stays until the answer is there, busy, or to ask again: it has the focus. */
export function Erase({ of }: { of: Customer }) {
  const { place, whyNot } = useHere()
  const [isOpen, setIsOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  const reading = useRead<GetCustomersByIdErasureData, GetCustomersByIdErasureResponse>(
    place,
    { url: '/customers/{id}/erasure/', path: { id: of.id } },
    { on: isOpen, stale_ms: 0 },
  )
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  if (of.phone === '' && of.email === '') return null
  const back = () => setIsOpen(false)
  const preview = reading.data
  if (isOpen && whyNot('customers') === undefined && preview !== undefined) {
    return preview.possible ? (
      <Confirmed of={of} preview={preview} onBack={back} />
    ) : (
      <NotYet of={preview} onBack={back} />
    )
  }
  return (
    <>
      <GuardedButton
        ref={opener}
        name={t('erase')}
        whyNot={whyNot('customers')}
        busy={isOpen && reading.isFetching}
        onClick={() => (isOpen ? reading.refetch() : setIsOpen(true))}
      />
      {isOpen && <Refused failure={failureIn(reading.error)} />}
    </>
  )
}

type StepProps = Readonly<{ of: ErasurePreview; onBack: () => void }>

function NotYet({ of, onBack }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="confirm">
      <h2 ref={heading} tabIndex={-1}>
        {t('erase_not_yet')}
      </h2>
      <p>{of.message}</p>
      <Facts
        of={[
          [
            t('erase_from'),
            of.possible_from !== null && <WhenExactly key="from" of={of.possible_from} />,
          ],
        ]}
      />
      <Button look="plain" onClick={onBack}>
        {t('back')}
      </Button>
    </section>
  )
}

type ConfirmedProps = Readonly<{ of: Customer; preview: ErasurePreview; onBack: () => void }>

/** Not by a slip of the finger: the last digits of the number, or the e-mail, are typed. */
function Confirmed({ of, preview, onBack }: ConfirmedProps) {
  const { place } = useHere()
  const go = useGo()
  const proof = of.phone === '' ? of.email : of.phone.slice(-2)
  const erase = async (form: FormData) => {
    if (textIn(form, 'proof') !== proof) {
      throw new CallFailed({ is: 'fields', fields: { proof: [t('erase_proof_wrong')] } })
    }
    await call<DeleteCustomersByIdData, undefined>({
      ...{ method: 'DELETE', url: '/customers/{id}/', path: { id: of.id }, place },
    })
    go('/customers')
    await readAllAgain()
  }
  return (
    <Confirm
      title={t('erase_title')}
      act={t('erase_act')}
      fields={['proof']}
      doing={erase}
      onBack={onBack}
    >
      {(failure) => (
        <>
          <p>{t('erase_goes')}</p>
          <Records of={preview.counts} />
          <p>{t('erase_stays')}</p>
          <TextField
            label={t(of.phone === '' ? 'erase_proof_email' : 'erase_proof')}
            error={errorAt(failure, 'proof')}
            name="proof"
            autoComplete="off"
            required
          />
        </>
      )}
    </Confirm>
  )
}

type Counted = Readonly<{ count: number; is_more: boolean }>

const figureOf = ({ count, is_more }: Counted) =>
  is_more ? t('or_more', { count }) : String(count)

const kinds = [
  ['transactions', 'payments_and_payouts'],
  ['refunds', 'refunds'],
  ['checkout_sessions', 'checkouts'],
] as const

/** From how many records the person goes; of what there is none, nothing is said. */
const Records = ({ of }: { of: ErasurePreview['counts'] }) => (
  <Facts
    of={kinds
      .filter(([kind]) => of[kind].count !== 0)
      .map(([kind, name]) => [t(name), figureOf(of[kind])])}
  />
)
