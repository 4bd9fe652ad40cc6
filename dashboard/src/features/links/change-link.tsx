// What becomes of a link that is there: changed, turned off and on again, deleted.

import { useEffect, useRef, useState } from 'react'
import type {
  DeletePaymentLinksByIdData,
  GetCountriesData,
  GetCountriesResponse,
  PatchPaymentLinksByIdData,
  PatchPaymentLinksByIdResponse,
  PaymentLink,
} from '../../api/types.gen.ts'
import { call, type Failure, failureIn } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { currenciesOf } from '../../format/amount.ts'
import { Offer, useGo } from '../../parts/act.tsx'
import { type Changes, useChanges } from '../../parts/changes.ts'
import { useHere } from '../../parts/place.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { fields, LinkFields, type LinkWritten, linkIn } from './link-fields.tsx'

const readLinks = () => readAgain('/payment-links/{id}/', '/payment-links/')
const stale_ms = 60 * 60_000

const ofSum = ['amount_type', 'amount', 'min_amount', 'currency'] as const

/**
 * What a payer is asked for is one thing: a sum that is sent without its currency would be taken in
 * the one that a colleague chose meanwhile.
 */
type Parts = Omit<LinkWritten, (typeof ofSum)[number]> &
  Readonly<{ sum: Pick<LinkWritten, (typeof ofSum)[number]> }>

/** As these fields have it: the sum that its kind does not ask for is none. */
function partsOf({ amount_type, amount, min_amount, currency, ...others }: LinkWritten): Parts {
  const isFree = amount_type === 'FREE'
  const sums = { amount: isFree ? null : amount, min_amount: isFree ? min_amount : null }
  return { ...others, sum: { amount_type, ...sums, currency } }
}

/** The link as it was when its form was opened, and what has been sent of it since. */
type Opened = Readonly<{ first: PaymentLink; save: Changes<Parts>['save'] }>

export function ChangeLink({ link }: { link: PaymentLink }) {
  const { place, clock, whyNot } = useHere()
  const opened = useRef<Opened>(undefined)
  const send = async ({ sum, ...others }: Partial<Parts>) => {
    const body = { ...others, ...sum }
    if (Object.keys(body).length === 0) return
    await call<PatchPaymentLinksByIdData, PatchPaymentLinksByIdResponse>({
      ...{ method: 'PATCH', url: '/payment-links/{id}/', path: { id: link.id }, place },
      body,
    })
  }
  const change = async (form: FormData) => {
    await opened.current?.save(partsOf(linkIn(form, clock.zone, opened.current.first)), send)
    await readLinks()
  }
  return (
    <Offer
      name={t('link_change')}
      title={t('link_change')}
      act={t('save')}
      whyNot={whyNot('links')}
      fields={fields}
      doing={change}
    >
      {(failure) => (
        <Fields
          link={link}
          failure={failure}
          onOpen={(first) => {
            opened.current = first
          }}
        />
      )}
    </Offer>
  )
}

type FieldsProps = Readonly<{
  link: PaymentLink
  failure: Failure | undefined
  onOpen: (opened: Opened) => void
}>

function Fields({ link, failure, onOpen }: FieldsProps) {
  const { place, merchant } = useHere()
  const [first] = useState(link)
  const { save } = useChanges(partsOf(first))
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it is opened
  useEffect(() => onOpen({ first, save }), [])
  const countries = useRead<GetCountriesData, GetCountriesResponse>(
    place,
    { url: '/countries/' },
    { stale_ms },
  )
  const known = currenciesOf(countries.data ?? [], merchant.country)
  return (
    <>
      <p>{t('link_change_how')}</p>
      <LinkFields
        link={first}
        currencies={[...new Set([first.currency, ...known])]}
        failure={failure}
      />
    </>
  )
}

export function SwitchLink({ link }: { link: PaymentLink }) {
  const { place, whyNot } = useHere()
  const { failure, isBusy, run } = useAct()
  // Why not stands once, above.
  if (link.admin_locked || whyNot('links') !== undefined) return null
  const turn = async () => {
    await call<PatchPaymentLinksByIdData, PatchPaymentLinksByIdResponse>({
      ...{ method: 'PATCH', url: '/payment-links/{id}/', path: { id: link.id }, place },
      body: { is_active: !link.is_active },
    })
    await readLinks()
  }
  return (
    <section>
      <h2>{t('link_switch')}</h2>
      {link.is_active && <p>{t('link_switch_off_how')}</p>}
      <Refused failure={failure} />
      <Button look="plain" busy={isBusy} onClick={() => run(turn)}>
        {t(link.is_active ? 'link_switch_off' : 'link_switch_on')}
      </Button>
    </section>
  )
}

export function DeleteLink({ link }: { link: PaymentLink }) {
  const { place, whyNot } = useHere()
  const go = useGo()
  const remove = async () => {
    try {
      await call<DeletePaymentLinksByIdData, undefined>({
        ...{ method: 'DELETE', url: '/payment-links/{id}/', path: { id: link.id }, place },
      })
    } catch (error) {
      // Gone already: by a colleague, or by a call whose answer was lost.
      const failure = failureIn(error)
      if (failure?.is !== 'refused' || failure.status !== 404) throw error
    }
    await readAgain('/payment-links/')
    go('/links')
  }
  return (
    <Offer
      name={t('link_delete')}
      title={t('link_delete')}
      act={t('link_delete')}
      whyNot={whyNot('links')}
      doing={remove}
    >
      <p>{t('link_delete_how')}</p>
    </Offer>
  )
}
