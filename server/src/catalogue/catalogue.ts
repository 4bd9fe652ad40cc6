// Countries and networks: what a merchant may collect from and pay to.

export type Country = Readonly<{
  id: string
  iso_code: string
  name: string
  default_currency: string
  created_at: Date
  updated_at: Date
}>

/** Where a mark of a network is from, and of which day (`2026-07-17`). */
export type MarkSource = Readonly<{ source: string; date: string }>

export type MarkName = 'colour' | 'rank' | 'prefixes' | 'ussd'

/** What payers know an operator by; empty (a rank: null) where it is unknown. */
export type NetworkMarks = Readonly<{
  /** `#ff7900` */
  colour: string
  /** 1 for the one that most people of its country use. */
  rank: number | null
  /** What its numbers begin with, behind the calling code. */
  prefixes: readonly string[]
  /** The code that opens its menu. */
  ussd: string
  mark_sources: Readonly<Partial<Record<MarkName, MarkSource>>>
}>

export type Network = NetworkMarks &
  Readonly<{
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
