// Who pays and who is paid: the last two digits of a number choose what the operator does (contract
// 6.9), and so how each payment and each payout has to end.

import type { Random } from '../fuzz/random.ts'

/**
 * How a payment ends. Each but `never` may also be FAILED without an order at the operator: no
 * route took it while the operator was dead.
 */
export type Ending = 'paid' | 'refused' | 'never'

export type Payer = Readonly<{
  /** Absent: a payer. */
  is_paid?: true
  ends: Ending
  /** The operator sends the payer a code, which the merchant passes on. */
  gives_code: boolean
  country: 'BJ' | 'SN'
  network: string
  phone: string
}>

type Kind = Readonly<{ weight: number; magic?: string; ends: Ending; gives_code?: true }>

const kinds: readonly Kind[] = [
  { weight: 38, ends: 'paid' },
  { weight: 6, ends: 'paid', gives_code: true },
  { weight: 8, magic: '01', ends: 'refused' },
  { weight: 6, magic: '02', ends: 'refused' },
  { weight: 4, magic: '03', ends: 'refused' },
  { weight: 4, magic: '04', ends: 'never' },
  { weight: 8, magic: '05', ends: 'paid' },
  { weight: 8, magic: '06', ends: 'paid' },
  { weight: 6, magic: '07', ends: 'paid' },
  { weight: 6, magic: '08', ends: 'paid' },
  { weight: 6, magic: '09', ends: 'paid' },
]

/** Each of them once, the likely ones more often. */
const urnOf = (some: readonly Kind[]) =>
  some.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))

const urn = urnOf(kinds)

/** A receiver gives no code; 09 refuses and then pays, which is for people to resolve. */
const paidUrn = urnOf(kinds.filter(({ gives_code, magic }) => !gives_code && magic !== '09'))

/** A receiver of a payout, with a unique number. */
export function payeeOf(no: number, random: Random): Payer {
  const { magic = String(10 + (no % 90)), ends } = random.pick(paidUrn)
  const network = random.pick(['mtn_bj', 'moov_bj'])
  const digits = String(no % 1_000_000).padStart(6, '0')
  const phone = `+22901${digits}${magic}`
  return { is_paid: true, ends, gives_code: false, country: 'BJ', network, phone }
}

/** A unique payer: `no` is used once in a database. */
export function payerOf(no: number, random: Random): Payer {
  const { magic = String(10 + (no % 90)), ends, gives_code = false } = random.pick(urn)
  if (gives_code) {
    const digits = String(no % 100_000).padStart(5, '0')
    const phone = `+22177${digits}${magic}`
    return { ends, gives_code, country: 'SN', network: 'wizall_sn', phone }
  }
  const network = random.pick(['mtn_bj', 'moov_bj'])
  const digits = String(no % 1_000_000).padStart(6, '0')
  return { ends, gives_code, country: 'BJ', network, phone: `+22901${digits}${magic}` }
}

/** Why a refund is made, which chooses what its operator does (contract 8.22), and how it ends. */
export type RefundKind = Readonly<{ reason: string; ends: Ending }>

/** 06 has no second operator, and 09 refuses and then pays, which is for people to resolve. */
const refundUrn: readonly RefundKind[] = kinds
  .filter(({ gives_code, magic }) => !gives_code && magic !== '06' && magic !== '09')
  .flatMap(({ weight, magic, ends }) => {
    const reason = magic === undefined ? 'Out of stock' : `sandbox:${magic}`
    return Array.from({ length: weight }, () => ({ reason, ends }))
  })

export const refundKindOf = (random: Random): RefundKind => random.pick(refundUrn)

/** What the operator takes as the right code. */
export const right_code = '123456'
