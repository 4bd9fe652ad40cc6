// What a payout method must have by its type, and how an account number is read and shown.

import { describe, expect, it } from 'vitest'
import { maskedAccount, methodFaults, readAccountNumber } from './payout-method.ts'

describe('a body', () => {
  it.each([
    [{ type: 'MOBILE_MONEY' }, ['network', 'msisdn']],
    [{ type: 'MOBILE_MONEY', network: 'mtn_bj', msisdn: ' ' }, ['msisdn']],
    [{ type: 'MOBILE_MONEY', network: 'mtn_bj', msisdn: '97000010' }, []],
    [{ type: 'MOBILE_MONEY', network: 'mtn_bj', msisdn: '97000010', account_number: '!' }, []],
    [{ type: 'BANK_ACCOUNT' }, ['bank_name', 'account_number']],
    [{ type: 'BANK_ACCOUNT', bank_name: '', account_number: '' }, ['bank_name', 'account_number']],
    [{ type: 'BANK_ACCOUNT', bank_name: 'BOA', account_number: '12' }, ['account_number']],
    [{ type: 'BANK_ACCOUNT', bank_name: 'BOA', account_number: 'SN08 1234 5678' }, []],
    // The schema says these.
    [{ type: 'CASH' }, []],
    [{}, []],
    [{ type: 'BANK_ACCOUNT', bank_name: 'BOA', account_number: 12345678 }, []],
  ])('%j lacks %j', (body, fields) => {
    expect(Object.keys(methodFaults(body))).toEqual(fields)
  })
})

describe('an account number', () => {
  it.each([
    ['sn08 sn01-0015.2000 0485 0000 3035', 'SN08SN0100152000048500003035'],
    ['12345678', '12345678'],
    ['1'.repeat(34), '1'.repeat(34)],
  ])('is letters and digits: %s', (text, bare) => {
    expect(readAccountNumber(text)).toBe(bare)
  })

  it.each(['1234567', '1'.repeat(35), '1234_5678', '12345678é', '', '١٢٣٤٥٦٧٨'])(
    'is not: "%s"',
    (text) => {
      expect(readAccountNumber(text)).toBeUndefined()
    },
  )

  it('shows its last 4 and not how long it is', () => {
    expect(maskedAccount('SN08SN0100152000048500003035')).toBe('****3035')
    expect(maskedAccount('12345678')).toBe('****5678')
  })
})
