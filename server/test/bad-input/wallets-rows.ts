// What is refused of transfers between a merchant's countries (contract 2.1, 2.2, 5.10).

import { notFound, type Refused, type Row, refused, shown, wrong } from './row.ts'

const transfer = { from_country: 'BJ', to_country: 'CM', from_amount: '5000' }

const withChanges = (name: string, changes: Record<string, unknown>, refusal: Refused): Row => ({
  name: `a transfer with ${name}`,
  path: '/wallet-transfers/',
  body: { ...transfer, ...changes },
  refused: refusal,
})

const badAmounts: unknown[] = [
  ...['', ' ', 'abc', '-5', '+5', '1e3', '0', '0.00', '10.001', '10.50', '1,000', '٥', '1 000'],
  ...['1000000000000', '9'.repeat(33), 0, -5, 10.5, 1e21, true, null, [], ['5'], {}],
]
const badCountries: unknown[] = ['', 'B', 'BEN', 5, null, [], {}]

export const walletsRows: Row[] = [
  ...badAmounts.map((from_amount) =>
    withChanges(`from_amount ${shown(from_amount)}`, { from_amount }, wrong('from_amount')),
  ),
  ...badCountries.flatMap((country) => [
    withChanges(`from ${shown(country)}`, { from_country: country }, wrong('from_country')),
    withChanges(`to ${shown(country)}`, { to_country: country }, wrong('to_country')),
  ]),
  withChanges('one country twice', { to_country: 'BJ' }, wrong('to_country')),
  withChanges('one country in two spellings', { to_country: 'bj' }, wrong('to_country')),
  withChanges(
    'everything wrong',
    { from_country: 'X', to_country: 7, from_amount: 'x' },
    wrong('from_country', 'to_country', 'from_amount'),
  ),
  withChanges(
    'one unknown country twice and no amount',
    { from_country: 'ZZ', to_country: 'zz', from_amount: '0' },
    wrong('to_country', 'from_amount'),
  ),
  withChanges('nowhere to come from', { from_country: 'ZZ' }, refused(422, 'invalid_country')),
  withChanges('nowhere to go', { to_country: 'ZZ' }, refused(422, 'invalid_country')),
  withChanges('no balance', { from_country: 'CI' }, refused(422, 'insufficient_balance')),
  withChanges('too much', { from_amount: '999999999' }, refused(422, 'insufficient_balance')),
  {
    ...withChanges('a key for payins', {}, refused(403, 'api_key_scope_forbidden')),
    as: 'payin',
  },
  {
    ...withChanges('a suspended merchant', {}, refused(403, 'merchant_suspended')),
    as: 'suspended',
  },
  {
    ...withChanges('an empty key', {}, wrong('Idempotency-Key')),
    headers: { 'idempotency-key': '' },
  },
  { name: 'an unknown transfer', path: '/wallet-transfers/{unknown}/', refused: notFound },
  { name: 'a transfer that is no id', path: '/wallet-transfers/x/', refused: notFound },
  ...(
    [
      ['status=pending', 'status'],
      ['status=PENDING,SUCCESS', 'status'],
      ['ordering=amount', 'ordering'],
      ['page=0', 'page'],
      ['page_size=x', 'page_size'],
      [`search=${'x'.repeat(101)}`, 'search'],
    ] as const
  ).map(([text, field]) => ({
    name: `a list with ${text.slice(0, 30)}`,
    path: `/wallet-transfers/?${text}`,
    refused: wrong(field),
  })),
]
