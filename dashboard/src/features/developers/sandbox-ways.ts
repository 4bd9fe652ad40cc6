// What the sandbox's operator plays, by the last two digits of a number, and one network for each
// way in which a payer confirms: the table of docs/guides/sandbox.md until the API tells it.

export type Ending = (typeof endings)[number]

/** The last two digits of the payer's national number. */
export const endings = ['10', '01', '02', '03', '04', '05', '06', '07', '08', '09'] as const

export type Way = Readonly<{
  network: string
  country: string
  /** A number in international form, without its last two digits. */
  line: string
  confirms: 'phone' | 'page' | 'code_before' | 'code_after'
}>

export const ways: readonly Way[] = [
  { network: 'mtn_bj', country: 'BJ', line: '+22901970000', confirms: 'phone' },
  { network: 'moov_bj', country: 'BJ', line: '+22901950000', confirms: 'phone' },
  { network: 'mtn_ci', country: 'CI', line: '+22505050001', confirms: 'phone' },
  { network: 'orange_ci', country: 'CI', line: '+22507070001', confirms: 'code_before' },
  { network: 'wave_sn', country: 'SN', line: '+2217700000', confirms: 'page' },
  { network: 'wizall_sn', country: 'SN', line: '+2217800000', confirms: 'code_after' },
]

/** The code that the sandbox's operator takes for right. */
export const right_code = '123456'
