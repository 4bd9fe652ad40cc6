// A new payment link: what for, and how much. Everything else is optional and folded away.

import type {
  Country,
  GetCountriesData,
  GetCountriesResponse,
  GetPaymentLinksData,
  GetPaymentLinksResponse,
  PaymentLink,
  PostPaymentLinksData,
  PostPaymentLinksResponse,
} from '../../api/types.gen.ts'
import { call, failureIn, type Place } from '../../data/call.ts'
import { serviceNow } from '../../data/clock.ts'
import { isOnline } from '../../data/connection.ts'
import { begun, isUnsure, keyOf, settled, wasBegun } from '../../data/once.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { currenciesOf } from '../../format/amount.ts'
import { useGo } from '../../parts/act.tsx'
import { Allowed } from '../../parts/allowed.tsx'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Button, Form } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { fields, isWrittenIn, LinkFields, type LinkWritten, linkIn } from './link-fields.tsx'

const stale_ms = 60 * 60_000

export default function LinkForm() {
  const { place } = useHere()
  const countries = useRead<GetCountriesData, GetCountriesResponse>(
    place,
    { url: '/countries/' },
    { stale_ms },
  )
  return (
    <Page title={t('new_link')}>
      <Allowed right="links">
        <Read of={countries}>{(list) => <NewLink countries={list} />}</Read>
      </Allowed>
    </Page>
  )
}

function NewLink({ countries }: { countries: readonly Country[] }) {
  const { place, merchant, clock, me } = useHere()
  const go = useGo()
  const { failure, isBusy, run } = useAct()
  const submit = (form: FormData) =>
    run(async () => {
      const written = linkIn(form, clock.zone)
      const made = await makeOnce({ place, written, member: me.member.id })
      await readAgain('/payment-links/')
      go(`/links/${made.id}?made=1`)
    })
  return (
    <Form name={t('new_link')} failure={failure} fields={fields} onSubmit={submit}>
      <LinkFields currencies={currenciesOf(countries, merchant.country)} failure={failure} />
      <Button type="submit" busy={isBusy}>
        {t('make_link')}
      </Button>
    </Form>
  )
}

/** `member`: whose hands these are. */
type Making = Readonly<{ place: Place; written: LinkWritten; member: string }>

/**
 * The API makes one link a call and knows no keys: where an answer was lost, also before a reload,
 * it is looked whether the same one is there before it is asked for once more.
 */
async function makeOnce(making: Making): Promise<PaymentLink> {
  const { place, written } = making
  const key = keyOf(place, { link: written })
  const wasUnsure = wasBegun(key)
  const before = wasUnsure ? await findMade(making) : undefined
  if (before !== undefined) {
    settled(key)
    return before
  }
  if (isOnline()) begun(key)
  try {
    const made = await call<PostPaymentLinksData, PostPaymentLinksResponse>({
      ...{ method: 'POST', url: '/payment-links/', body: written, place },
    })
    settled(key)
    return made
  } catch (error) {
    const failure = failureIn(error)
    if (failure !== undefined && !isUnsure(failure, wasUnsure)) settled(key)
    throw error
  }
}

const recently_ms = 15 * 60_000

/** By the same hands, minutes ago, the same in all that was filled in. */
async function findMade({ place, written, member }: Making): Promise<PaymentLink | undefined> {
  const { results } = await call<GetPaymentLinksData, GetPaymentLinksResponse>({
    ...{ method: 'GET', url: '/payment-links/', place },
    query: { ordering: '-created_at', page_size: 50 },
  })
  const since = serviceNow() - recently_ms
  return results.find(
    (link) =>
      link.created_by_member === member &&
      Date.parse(link.created_at) >= since &&
      isSame(link, written),
  )
}

const isSame = (link: PaymentLink, { expires_at, ...written }: LinkWritten): boolean =>
  momentIn(link.expires_at) === momentIn(expires_at) &&
  Object.entries(written).every(([name, value]) => isWrittenIn(link, name, value))

const momentIn = (iso: string | null): number | undefined =>
  iso === null ? undefined : Date.parse(iso)
