// A new account for settlements: a phone's wallet or a bank's account.

import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import type {
  GetCountriesData,
  GetCountriesResponse,
  GetMerchantData,
  GetMerchantResponse,
  PostMerchantPayoutMethodsData,
  PostMerchantPayoutMethodsResponse,
} from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { byName, countryName } from '../../format/country.ts'
import { Confirm, useGo } from '../../parts/act.tsx'
import { NotOffered } from '../../parts/allowed.tsx'
import { askedFirst } from '../../parts/network-fields.tsx'
import { useNetworksOf } from '../../parts/networks.ts'
import { networksForMethod } from '../../parts/open-networks.ts'
import { useHere } from '../../parts/place.tsx'
import { useRates } from '../../parts/rates.ts'
import { Page } from '../../parts/shell.tsx'
import { errorAt, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const stale_ms = 60 * 60_000
type Body = PostMerchantPayoutMethodsData['body']

export default function MethodForm() {
  const { place, to, whyNot, language, merchant } = useHere()
  const named = (code: string) => [code, countryName(code, language)] as const
  const [, navigate] = useLocation()
  const go = useGo()
  const countries = useRead<GetCountriesData, GetCountriesResponse>(
    place,
    { url: '/countries/' },
    { stale_ms },
  )
  const why = whyNot('payout_methods')
  // In a shop that is not in LIVE nothing waits. Asked for beside the countries: nothing moves.
  const wait = useRead<GetMerchantData, GetMerchantResponse>(
    place,
    { url: '/merchant/' },
    { on: merchant.live_enabled && why === undefined },
  )
  const isKnown = !merchant.live_enabled || wait.isFetched
  const back = () => navigate(to('/settlements/methods'))
  const add = async (form: FormData) => {
    await call<PostMerchantPayoutMethodsData, PostMerchantPayoutMethodsResponse>({
      ...{ method: 'POST', url: '/merchant-payout-methods/', body: bodyOf(form), place },
    })
    await readAllAgain()
    go('/settlements/methods')
  }
  const fields = ['country', 'type', 'label', 'network', 'msisdn', ...bankFields]
  return (
    <Page title={t('new_method')}>
      {why !== undefined ? (
        <NotOffered of={why} />
      ) : (
        <Read of={isKnown ? countries : { ...countries, data: undefined }}>
          {(list) => (
            <Confirm
              title={t('method_whose')}
              act={t('method_add')}
              doing={add}
              onBack={back}
              fields={fields}
            >
              {(failure) => (
                <Fields
                  failure={failure}
                  wait={merchant.live_enabled && <Wait hours={wait.data?.cooling_off_hours} />}
                  countries={byName(
                    list.map(({ iso_code }) => iso_code),
                    language,
                  ).map(named)}
                />
              )}
            </Confirm>
          )}
        </Read>
      )}
    </Page>
  )
}

const bankFields = ['bank_name', 'account_number', 'account_name'] as const

const isNeeded = (name: string): boolean => name === 'bank_name' || name === 'account_number'

/** Only what is of the chosen kind, and only what was filled in. */
function bodyOf(form: FormData): Body {
  const given = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [name, textIn(form, name)]).filter(([, value]) => value !== ''),
    )
  const isPhone = textIn(form, 'type') === 'MOBILE_MONEY'
  return {
    country: textIn(form, 'country'),
    type: isPhone ? 'MOBILE_MONEY' : 'BANK_ACCOUNT',
    ...given(['label', ...(isPhone ? ['network', 'msisdn'] : bankFields)]),
  }
}

type FieldsProps = Readonly<{
  failure: Failure | undefined
  countries: readonly (readonly [string, string])[]
  wait: ReactNode
}>

/** `hours`: null where it is the service's own period, which the API gives no hours of. */
function Wait({ hours = null }: { hours: number | null | undefined }) {
  if (hours === 0) return null
  return <p>{hours === null ? t('method_cooling_why') : t('method_cooling_hours', { hours })}</p>
}

function Fields({ failure, countries, wait }: FieldsProps) {
  const { merchant } = useHere()
  const [type, setType] = useState<'MOBILE_MONEY' | 'BANK_ACCOUNT'>('MOBILE_MONEY')
  const [country, setCountry] = useState(merchant.country ?? '')
  const text = (name: (typeof bankFields)[number] | 'label') => (
    <TextField
      label={t(name === 'label' ? 'link_name' : name)}
      hint={isNeeded(name) ? undefined : t('optional')}
      required={isNeeded(name)}
      error={errorAt(failure, name)}
      name={name}
      maxLength={150}
      autoComplete="off"
    />
  )
  return (
    <>
      <SelectField
        label={t('method_kind')}
        name="type"
        value={type}
        onChange={({ currentTarget: { value } }) =>
          setType(value === 'BANK_ACCOUNT' ? 'BANK_ACCOUNT' : 'MOBILE_MONEY')
        }
        options={(['MOBILE_MONEY', 'BANK_ACCOUNT'] as const).map((one) => [
          one,
          t(`method_${one}`),
        ])}
      />
      <SelectField
        label={t('country')}
        error={errorAt(failure, 'country')}
        name="country"
        required
        value={country}
        onChange={({ currentTarget: { value } }) => setCountry(value)}
        options={[...askedFirst(country), ...countries]}
      />
      {type === 'MOBILE_MONEY' ? (
        <PhoneFields country={country} failure={failure} />
      ) : (
        bankFields.map((name) => <div key={name}>{text(name)}</div>)
      )}
      {text('label')}
      {wait}
    </>
  )
}

/** A network of that country that takes payouts, and one's number there. */
function PhoneFields({ country, failure }: Pick<FieldsProps, 'failure'> & { country: string }) {
  const known = useNetworksOf(country)
  const rates = useRates()
  // None until it is known which may be chosen: one that goes again would empty the field.
  const networks = rates.isFetched ? networksForMethod(known, rates.data ?? []) : undefined
  return (
    <>
      <SelectField
        label={t('network')}
        hint={country !== '' && networks?.length === 0 ? t('no_payout_network') : undefined}
        error={errorAt(failure, 'network')}
        name="network"
        required
        options={[
          ['', t('choose_network')],
          ...(networks ?? []).map(({ code, name }) => [code, name] as const),
        ]}
      />
      <TextField
        label={t('own_number')}
        hint={t('recipient_number_hint')}
        error={errorAt(failure, 'msisdn')}
        name="msisdn"
        type="tel"
        maxLength={32}
        required
      />
    </>
  )
}
