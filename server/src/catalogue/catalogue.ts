// Countries and networks: what a merchant may collect from and pay to.

export type Country = Readonly<{
  id: string
  iso_code: string
  name: string
  default_currency: string
  created_at: Date
  updated_at: Date
}>

export type Network = Readonly<{
  id: string
  country_id: string
  country_code: string
  code: string
  name: string
  currency: string
  flow: 'push' | 'redirect'
  otp_kind: 'NONE' | 'PRE' | 'POST'
  /** What the payer does to get a code; `{amount}` is replaced by the whole amount. */
  otp_instructions: string
  takes_payins: boolean
  takes_payouts: boolean
  is_active: boolean
  created_at: Date
  updated_at: Date
}>

export type Catalogue = Readonly<{
  countries: readonly Country[]
  networks: readonly Network[]
  countryByCode(iso_code: string): Country | undefined
  networkByCode(code: string): Network | undefined
}>
