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
import { useHere } from '../../parts/place.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { fields, isWrittenIn, LinkFields, type LinkWritten, linkIn } from './link-fields.tsx'

const readLinks = () => readAgain('/payment-links/{id}/', '/payment-links/')
const stale_ms = 60 * 60_000

/** Only what is another now: what a colleague changes meanwhile stays. */
const changesOf = (link: PaymentLink, written: LinkWritten): Partial<LinkWritten> =>
  Object.fromEntries(
    Object.entries(written).filter(([name, value]) => !isWrittenIn(link, name, value)),
  )

export function ChangeLink({ link }: { link: PaymentLink }) {
  const { place, clock, whyNot } = useHere()
  /** As it was when the form was opened. */
  const opened = useRef(link)
  const change = async (form: FormData) => {
    const body = changesOf(opened.current, linkIn(form, clock.zone, opened.current))
    if (Object.keys(body).length > 0) {
      await call<PatchPaymentLinksByIdData, PatchPaymentLinksByIdResponse>({
        ...{ method: 'PATCH', url: '/payment-links/{id}/', path: { id: link.id }, place },
        body,
      })
    }
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
  onOpen: (link: PaymentLink) => void
}>

function Fields({ link, failure, onOpen }: FieldsProps) {
  const { place, merchant } = useHere()
  const [first] = useState(link)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it is opened
  useEffect(() => onOpen(first), [])
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
  if (link.admin_locked) return <p>{t('link_locked_why')}</p>
  // Why not stands once, above.
  if (whyNot('links') !== undefined) return null
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
      <p>{t(link.is_active ? 'link_switch_off_how' : 'link_switch_on_how')}</p>
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
