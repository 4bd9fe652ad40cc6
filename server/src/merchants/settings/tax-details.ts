// What an invoice must say of its seller. While something is missing, the paper of a payment is a
// receipt (docs/decisions/0041).

import { Type } from 'typebox'
import { formatPercent, parsePercent } from '../../money/percent.ts'
import { invalid } from '../../platform/errors.ts'

/** How the number of a taxpayer is called in the countries that we serve. */
const taxIdKinds = ['IFU', 'NIF', 'NINEA', 'NCC', 'NIU', 'TIN'] as const
export type TaxIdKind = (typeof taxIdKinds)[number]

export type TaxDetails = Readonly<{
  legal_name: string
  /** Lines, as on a letter. */
  address: string
  id_kind: TaxIdKind | ''
  id: string
  /** Number in the Registre du commerce et du crédit mobilier; empty: none. */
  rccm: string
  /** Parts of a million within the price; 0: no tax is charged; null: not stated. */
  vat_ppm: number | null
}>

export const hasAllDetails = ({ legal_name, address, id_kind, id, vat_ppm }: TaxDetails): boolean =>
  [legal_name, address, id_kind, id].every((text) => text !== '') && vat_ppm !== null

const percent_form = '^([0-9]{1,2}(\\.[0-9]{1,4})?)?$'

const fields = {
  legal_name: Type.String({ maxLength: 150, description: 'Who sells, as registered.' }),
  address: Type.String({ maxLength: 300, description: 'The registered address, in lines.' }),
  id_kind: Type.Enum(['', ...taxIdKinds], { description: 'What the number in `id` is called.' }),
  id: Type.String({ maxLength: 40, description: 'The taxpayer’s number.' }),
  rccm: Type.String({
    maxLength: 60,
    description: 'Number in the trade register, if there is one.',
  }),
  vat_percent: Type.String({
    pattern: percent_form,
    description:
      'Value-added tax within your prices, such as `18`; `0`: you charge none; empty: not stated.',
    'x-message': {
      en: 'Must be a percentage of 50 at most, such as 18 or 19.25; 0 for no tax, or empty.',
      fr: 'Doit être un pourcentage de 50 au plus, par exemple 18 ou 19.25 ; 0 sans taxe, ou vide.',
    },
  }),
}

export const TaxDetailsSchema = Type.Object({
  ...fields,
  is_complete: Type.Boolean({
    description:
      'True: payments have invoices with a number of your own. Only `rccm` may be empty.',
  }),
})

export const TaxDetailsChange = Type.Partial(Type.Object(fields))
export type TaxDetailsRequest = Readonly<
  Partial<Omit<TaxDetails, 'vat_ppm'> & { vat_percent: string }>
>

const vat_ppm_max = 500_000

/** What was not named stays. Refuses a tax above half the price. */
export function changedTax(was: TaxDetails, { vat_percent, ...request }: TaxDetailsRequest) {
  const pick = (field: keyof typeof request) => request[field]?.trim() ?? was[field]
  return {
    legal_name: pick('legal_name'),
    address: pick('address'),
    id_kind: request.id_kind ?? was.id_kind,
    id: pick('id'),
    rccm: pick('rccm'),
    vat_ppm: vat_percent === undefined ? was.vat_ppm : readVat(vat_percent),
  }
}

function readVat(percent: string): number | null {
  if (percent === '') return null
  const ppm = Number(parsePercent(percent))
  if (ppm <= vat_ppm_max) return ppm
  throw invalid('tax.vat_percent', {
    en: 'Must be 50 at most.',
    fr: 'Doit être de 50 au plus.',
  })
}

export const viewTax = (tax: TaxDetails) => ({
  legal_name: tax.legal_name,
  address: tax.address,
  id_kind: tax.id_kind,
  id: tax.id,
  rccm: tax.rccm,
  vat_percent: tax.vat_ppm === null ? '' : formatPercent(BigInt(tax.vat_ppm)),
  is_complete: hasAllDetails(tax),
})

export const taxExample = {
  legal_name: 'Awa Commerce SARL',
  address: 'Lot 12, rue 5.043, Cotonou',
  id_kind: 'IFU',
  id: '3201810012345',
  rccm: 'RB/COT/18 B 12345',
  vat_percent: '18.00',
  is_complete: true,
} as const
