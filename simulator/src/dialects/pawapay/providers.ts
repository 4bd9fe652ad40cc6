// The providers that this dialect has, as data: country, currency, calling code, how a payer
// approves, and whether amounts have cents (docs/operators/pawapay.md).

export type Provider = Readonly<{
  provider: string
  country: string
  currency: string
  prefix: string
  auth: 'PROVIDER_AUTH' | 'PREAUTH' | 'REDIRECT_AUTH'
  decimals: 'NONE' | 'TWO_PLACES'
}>

const of = (
  country: string,
  [currency, prefix]: readonly [string, string],
  names: readonly string[],
  decimals: Provider['decimals'] = 'NONE',
): Provider[] =>
  names.map((provider) => ({
    provider,
    country,
    currency,
    prefix,
    auth: authOf(provider),
    decimals,
  }))

function authOf(provider: string): Provider['auth'] {
  if (provider.startsWith('WAVE_')) return 'REDIRECT_AUTH'
  return provider === 'ORANGE_BFA' ? 'PREAUTH' : 'PROVIDER_AUTH'
}

const all: readonly Provider[] = [
  ...of('BEN', ['XOF', '229'], ['MTN_MOMO_BEN', 'MOOV_BEN']),
  ...of('BFA', ['XOF', '226'], ['MOOV_BFA', 'ORANGE_BFA']),
  ...of('CMR', ['XAF', '237'], ['MTN_MOMO_CMR', 'ORANGE_CMR']),
  ...of('CIV', ['XOF', '225'], ['MTN_MOMO_CIV', 'ORANGE_CIV', 'WAVE_CIV']),
  ...of('SEN', ['XOF', '221'], ['ORANGE_SEN', 'FREE_SEN', 'WAVE_SEN']),
  ...of('COG', ['XAF', '242'], ['MTN_MOMO_COG', 'AIRTEL_COG']),
  ...of('GAB', ['XAF', '241'], ['AIRTEL_GAB'], 'TWO_PLACES'),
  ...of('COD', ['CDF', '243'], ['VODACOM_MPESA_COD', 'AIRTEL_COD', 'ORANGE_COD'], 'TWO_PLACES'),
  ...of('GHA', ['GHS', '233'], ['MTN_MOMO_GHA', 'VODAFONE_GHA', 'AIRTELTIGO_GHA'], 'TWO_PLACES'),
  ...of('RWA', ['RWF', '250'], ['MTN_MOMO_RWA', 'AIRTEL_RWA']),
  ...of('ZMB', ['ZMW', '260'], ['MTN_MOMO_ZMB'], 'TWO_PLACES'),
]

export const providers: ReadonlyMap<string, Provider> = new Map(
  all.map((one) => [one.provider, one]),
)

/** What it takes of one payment: whole units, as texts of its own. */
export type Limits = Readonly<{ least: string; most: string }>

export const usualLimits: Limits = { least: '1', most: '2000000' }

/** How a provider does in one kind of operation. */
export type Works = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'

/** What the operator has set of one provider and kind of operation, where it is not as usual. */
export type Condition = Readonly<{ limits?: Limits; works?: Works }>

export const conditionKey = (provider: string, operation: string): string =>
  `${provider} ${operation}`
