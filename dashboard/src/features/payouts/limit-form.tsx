// Setting a limit, or changing one: the three figures at once, because what is left empty has no
// limit any more.

import { useState } from 'react'
import type {
  GetCountriesData,
  GetCountriesResponse,
  GetMerchantApiKeysData,
  GetMerchantApiKeysResponse,
  PayoutLimit,
  PayoutLimitSet,
  PostMerchantPayoutLimitsData,
  PostMerchantPayoutLimitsResponse,
} from '../../api/types.gen.ts'
import { CallFailed, call, type Failure, type Place } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { asTyped, isLess, readTyped, sumIn } from '../../format/amount.ts'
import { byName, countryName } from '../../format/country.ts'
import { Offer } from '../../parts/act.tsx'
import { keyName } from '../../parts/makers.ts'
import { askedFirst } from '../../parts/network-fields.tsx'
import { useHere } from '../../parts/place.tsx'
import { errorAt, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

const figures = ['per_payout', 'per_day', 'approval_above'] as const
const fields = ['api_key', 'country', ...figures]
const stale_ms = 60 * 60_000

type Whose = Readonly<{ country: string; api_key?: string }>

async function setLimit(place: Place, whose: Whose, form: FormData): Promise<void> {
  const given = figures
    .map((name) => [name, readTyped(textIn(form, name))] as const)
    .filter(([, sum]) => sum !== '')
  if (given.length === 0) {
    throw new CallFailed({ is: 'fields', fields: { per_payout: [t('limit_set_one')] } })
  }
  const wrong = given.filter(([, sum]) => sumIn(sum) === '')
  if (wrong.length > 0) {
    const fields = Object.fromEntries(wrong.map(([name]) => [name, [t('not_a_sum')]]))
    throw new CallFailed({ is: 'fields', fields })
  }
  const body: PayoutLimitSet = { ...whose, ...Object.fromEntries(given) }
  await call<PostMerchantPayoutLimitsData, PostMerchantPayoutLimitsResponse>({
    ...{ method: 'POST', url: '/merchant-payout-limits/', body, place },
  })
  await readAllAgain()
}

/** For the whole merchant or one key, in a country that has none yet or another one. */
export function NewLimit() {
  const { place } = useHere()
  const set = (form: FormData) => {
    const [country, api_key] = [textIn(form, 'country'), textIn(form, 'api_key')]
    return setLimit(place, { country, ...(api_key !== '' && { api_key }) }, form)
  }
  return (
    <Offer
      name={t('limit_new')}
      title={t('limit_new')}
      act={t('limit_set')}
      fields={fields}
      doing={set}
    >
      {(failure) => <NewFields failure={failure} />}
    </Offer>
  )
}

function NewFields({ failure }: { failure: Failure | undefined }) {
  const { place, merchant, language } = useHere()
  const [key, setKey] = useState('')
  const { data: countries = [] } = useRead<GetCountriesData, GetCountriesResponse>(
    place,
    { url: '/countries/' },
    { stale_ms },
  )
  const keys = usePayingKeys()
  const codes = countries.map(({ iso_code }) => iso_code)
  return (
    <>
      <SelectField
        label={t('limit_whose')}
        error={errorAt(failure, 'api_key')}
        name="api_key"
        value={key}
        onChange={({ currentTarget: { value } }) => setKey(value)}
        options={[['', t('limit_of_all')], ...keys]}
      />
      <SelectField
        label={t('country')}
        error={errorAt(failure, 'country')}
        name="country"
        defaultValue={merchant.country ?? ''}
        options={[
          ...askedFirst(merchant.country),
          ...byName(codes, language).map((code) => [code, countryName(code, language)] as const),
        ]}
      />
      <Figures failure={failure} isOfKey={key !== ''} />
    </>
  )
}

/** Those that work and may pay out, each by its name. */
function usePayingKeys() {
  const { place } = useHere()
  const { data } = useRead<GetMerchantApiKeysData, GetMerchantApiKeysResponse>(place, {
    url: '/merchant-api-keys/',
    query: { status: 'ACTIVE', page_size: 100 },
  })
  return (data?.results ?? [])
    .filter(({ scope }) => scope !== 'PAYIN')
    .map((one) => [one.id, `${t('limit_of_key')} ${keyName(one)}`] as const)
}

export function ChangeLimit({ of }: { of: PayoutLimit }) {
  const { place } = useHere()
  const { country, api_key } = of
  const whose = { country, ...(api_key !== null && { api_key }) }
  return (
    <Offer
      name={t('limit_change')}
      title={t('limit_change')}
      act={t('limit_set')}
      fields={fields}
      doing={(form) => setLimit(place, whose, form)}
    >
      {(failure) => (
        <>
          <p>{t('limit_change_how')}</p>
          <Figures failure={failure} of={of} isOfKey={api_key !== null} />
        </>
      )}
    </Offer>
  )
}

type FiguresProps = Readonly<{
  failure: Failure | undefined
  of?: PayoutLimit
  isOfKey: boolean
}>

/**
 * Approval by a second member is of the whole merchant, never of a key. A limit of a day below that
 * of one payout is taken as it is: it may be wanted, or be the other field's.
 */
function Figures({ failure, of, isOfKey }: FiguresProps) {
  const begun = (name: (typeof figures)[number]) => asTyped(of?.[name] ?? '')
  const [typed, setTyped] = useState({ per_payout: begun('per_payout'), per_day: begun('per_day') })
  const [a_payout, a_day] = [sumIn(readTyped(typed.per_payout)), sumIn(readTyped(typed.per_day))]
  return (
    <>
      {figures
        .filter((name) => name !== 'approval_above' || !isOfKey)
        .map((name) => (
          <TextField
            key={name}
            label={t(`limit_${name}`)}
            hint={t('limit_empty')}
            error={errorAt(failure, name)}
            name={name}
            inputMode="decimal"
            autoComplete="off"
            maxLength={20}
            defaultValue={begun(name)}
            onInput={({ currentTarget: { value } }) =>
              setTyped((before) => ({ ...before, [name]: value }))
            }
          />
        ))}
      <div role="status">
        {isLess(a_day, a_payout) && <p className="warned">{t('limit_day_below')}</p>}
      </div>
    </>
  )
}
