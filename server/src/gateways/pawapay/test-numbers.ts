// The numbers that pawaPay's sandbox answers in a known way, by network. Source: pawaPay's page,
// docs.pawapay.io/v2/docs/test_numbers, and its earlier text, github.com/johnnyyen/docs,
// testing_the_api.mdx (OTHER_ERROR there is UNSPECIFIED_FAILURE by now), read in November 2026.

import type { AccountEnvironment, TestNumber, TestNumbers } from '../adapter.ts'
import type { Direction } from '../gateway.ts'

const done = 'COMPLETED'
const stays = 'SUBMITTED, and stays so'
const other = 'UNSPECIFIED_FAILURE'
const limit = 'PAYER_LIMIT_REACHED'
const nobody = 'PAYER_NOT_FOUND'
const refused = 'PAYMENT_NOT_APPROVED'
const poor = 'INSUFFICIENT_BALANCE'
const no_recipient = 'RECIPIENT_NOT_FOUND'
const ends = { '069': other, '129': stays, '789': done }
const out = { '119': other, '129': stays, '789': done }
const found_out = { '089': no_recipient, ...out }

type ByDigits = Readonly<Record<string, string>>
type Block = Readonly<{ start: string } & Record<Direction, ByDigits>>

/** By network: how its numbers begin, and what becomes of the last three digits. */
const blocks: Readonly<Record<string, Block>> = {
  mtn_bj: {
    start: '22951345',
    COLLECT: { '029': nobody, '039': refused, ...ends },
    DISBURSE: found_out,
  },
  moov_bj: {
    start: '22995345',
    COLLECT: { '679': refused, '529': other, '639': stays, '789': done },
    DISBURSE: { '219': other, '279': stays, '789': done },
  },
  moov_bf: {
    start: '22602345',
    COLLECT: { '048': poor, '068': other, '138': stays, '678': done },
    DISBURSE: { '118': other, '138': stays, '678': done },
  },
  orange_bf: {
    start: '22607345',
    COLLECT: { '148': refused, '128': stays, '678': done },
    DISBURSE: {},
  },
  mtn_cm: {
    start: '237653456',
    COLLECT: { '019': limit, '029': nobody, '039': refused, ...ends },
    DISBURSE: found_out,
  },
  orange_cm: {
    start: '237693456',
    COLLECT: { '019': limit, '029': nobody, '039': refused, '049': poor, ...ends },
    DISBURSE: out,
  },
  mtn_ci: {
    start: '2250503456',
    COLLECT: { '029': nobody, '039': refused, ...ends },
    DISBURSE: found_out,
  },
  orange_ci: {
    start: '2250734567',
    COLLECT: { '030': refused, '060': other, '130': stays, '890': done },
    DISBURSE: { '110': other, '130': stays, '890': done },
  },
  orange_sn: {
    start: '221773456',
    COLLECT: { '029': nobody, '049': poor, ...ends },
    DISBURSE: { '119': other, '139': stays, '789': done },
  },
  freemoney_sn: { start: '221763456', COLLECT: { '049': poor, ...ends }, DISBURSE: out },
  mtn_cg: {
    start: '242063456',
    COLLECT: { '029': nobody, '039': refused, '049': poor, ...ends },
    DISBURSE: found_out,
  },
  airtel_cg: {
    start: '242053456',
    COLLECT: { '039': refused, '049': poor, ...ends },
    DISBURSE: found_out,
  },
  airtel_ga: {
    start: '24174345',
    COLLECT: { '048': poor, '068': other, '128': stays, '678': done },
    DISBURSE: { '088': no_recipient, '118': other, '128': stays, '678': done },
  },
  vodacom_cd: {
    start: '243813456',
    COLLECT: { '019': limit, '029': nobody, '039': refused, '049': poor, ...ends },
    DISBURSE: found_out,
  },
  airtel_cd: { start: '243973456', COLLECT: ends, DISBURSE: found_out },
  orange_cd: {
    start: '243893456',
    COLLECT: { '029': nobody, '039': refused, '049': poor, ...ends },
    DISBURSE: out,
  },
  mtn_gh: {
    start: '233593456',
    COLLECT: { '019': limit, '029': nobody, '039': refused, ...ends },
    DISBURSE: found_out,
  },
  telecel_gh: {
    start: '233503456',
    COLLECT: { '039': refused, '049': poor, ...ends },
    DISBURSE: found_out,
  },
  mtn_ng: {
    start: '2348134567',
    COLLECT: {
      '019': limit,
      '029': nobody,
      '039': refused,
      '069': other,
      '129': stays,
      '899': done,
    },
    DISBURSE: { '089': no_recipient, '119': other, '129': stays, '899': done },
  },
  at_gh: { start: '233273456', COLLECT: ends, DISBURSE: found_out },
}

const directions = ['COLLECT', 'DISBURSE'] as const

export const tests: TestNumbers = {
  numbers: Object.entries(blocks).flatMap(([network, block]) =>
    directions.flatMap((direction) =>
      // A record's keys that look like numbers come first: the order is made here.
      Object.entries(block[direction])
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(
          ([digits, then]): TestNumber => ({
            ...{ network, direction, then },
            number: `+${block.start}${digits}`,
          }),
        ),
    ),
  ),
  about: {
    en: 'of other networks none is published',
    fr: 'aucun n’est publié pour les autres réseaux',
  },
}

/**
 * Without the plus. The sandbox's numbers of Bénin are published in the form of eight digits that
 * the country has left.
 */
export function numberOnWire(msisdn: string, environment: AccountEnvironment): string {
  const digits = msisdn.replace(/^\+/, '')
  return environment === 'SANDBOX' ? digits.replace(/^22901((?:51|95)345\d{3})$/, '229$1') : digits
}
