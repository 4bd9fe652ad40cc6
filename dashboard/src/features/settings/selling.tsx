// Who pays the fees of what the shop takes, and where it works: of each payment, link and page,
// which have no say of their own here.

import { useState } from 'react'
import type {
  GetCountriesData,
  GetCountriesResponse,
  MerchantSettings,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { byName, countryName } from '../../format/country.ts'
import { useHere } from '../../parts/place.tsx'
import { errorAt, SelectField } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { Patch } from './settings-form.tsx'

const modes = ['ADD_ON', 'DEDUCTED'] as const

const stale_ms = 60 * 60_000

/** None that is ticked: all that we serve, those too that come later. */
const tickedIn = (form: FormData): string[] | null => {
  const codes = form.getAll('allowed_countries').map(String).sort()
  return codes.length === 0 ? null : codes
}

export function Selling({ of }: { of: MerchantSettings }) {
  const { place, language } = useHere()
  const countries = useRead<GetCountriesData, GetCountriesResponse>(
    place,
    { url: '/countries/' },
    { stale_ms },
  )
  const [drawn] = useState({
    fee_charge_mode_locked: of.fee_charge_mode_locked,
    allowed_countries: of.allowed_countries,
  })
  const served = (countries.data ?? []).map(({ iso_code }) => iso_code)
  const codes = byName([...new Set([...served, ...(drawn.allowed_countries ?? [])])], language)
  return (
    <Patch
      name={t('settings_selling')}
      fields={['fee_charge_mode_locked', 'allowed_countries']}
      drawn={drawn}
      body={(form) => ({
        fee_charge_mode_locked: modes.find((mode) => mode === form.get('fees')) ?? null,
        // Until the list is there nothing of it is ticked or not.
        allowed_countries: served.length === 0 ? drawn.allowed_countries : tickedIn(form),
      })}
    >
      {(failure) => (
        <>
          <SelectField
            label={t('field_fee_charge_mode_locked')}
            error={errorAt(failure, 'fee_charge_mode_locked')}
            name="fees"
            defaultValue={drawn.fee_charge_mode_locked ?? ''}
            options={[
              ['', t('fees_free')],
              ...modes.map((mode) => [mode, t(`fees_${mode}`)] as const),
            ]}
          />
          <fieldset>
            <legend>{t('field_allowed_countries')}</legend>
            <p className="mute small">{t('countries_hint')}</p>
            {codes.map((code) => (
              <label key={code} className="choice">
                <input
                  type="checkbox"
                  name="allowed_countries"
                  value={code}
                  defaultChecked={drawn.allowed_countries?.includes(code) ?? false}
                />
                {countryName(code, language)}
              </label>
            ))}
          </fieldset>
        </>
      )}
    </Patch>
  )
}
