// What is refused of settlements (contract 2.1, 2.2, 5.9).

import { notFound, type Refused, type Row, refused, shown, wrong } from './row.ts'

const settlement = {
  country: 'BJ',
  requested_amount: '5000',
  payout_method: '01981f3a-0000-7000-8000-00000000c001',
}

const withChanges = (name: string, changes: Record<string, unknown>, refusal: Refused): Row => ({
  name: `a settlement with ${name}`,
  path: '/settlements/',
  body: { ...settlement, ...changes },
  refused: refusal,
})

const badAmounts: unknown[] = [
  ...['', ' ', 'abc', '-5', '+5', '1e3', '0', '0.00', '10.001', '10.50', '1,000', '٥', '1 000'],
  ...['1000000000000', '9'.repeat(33), 0, -5, 10.5, 1e21, true, null, [], ['5'], {}],
]
const badCountries: unknown[] = ['', 'B', 'BEN', 5, null, [], {}]
const badMethods: unknown[] = ['', 'x', '01981f3a', 5, null, [], {}, `${settlement.payout_method} `]

export const settlementsRows: Row[] = [
  ...badAmounts.map((requested_amount) =>
    withChanges(
      `requested_amount ${shown(requested_amount)}`,
      { requested_amount },
      wrong('requested_amount'),
    ),
  ),
  ...badCountries.map((country) =>
    withChanges(`country ${shown(country)}`, { country }, wrong('country')),
  ),
  ...badMethods.map((payout_method) =>
    withChanges(`payout_method ${shown(payout_method)}`, { payout_method }, wrong('payout_method')),
  ),
  ...['', 'add_on', 5].map((fee_charge_mode) =>
    withChanges(
      `fee_charge_mode ${shown(fee_charge_mode)}`,
      { fee_charge_mode },
      wrong('fee_charge_mode'),
    ),
  ),
  withChanges(
    'everything wrong',
    { country: 'X', requested_amount: 'x', payout_method: 7 },
    wrong('country', 'requested_amount', 'payout_method'),
  ),
  withChanges('nobody’s payout method', {}, wrong('payout_method')),
  withChanges('a country that is not served', { country: 'ZZ' }, refused(422, 'invalid_country')),
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
  { name: 'an unknown settlement', path: '/settlements/{unknown}/', refused: notFound },
  { name: 'a settlement that is no id', path: '/settlements/x/', refused: notFound },
  {
    name: 'an unknown settlement, cancelled',
    method: 'POST',
    path: '/settlements/{unknown}/cancel/',
    refused: notFound,
  },
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
    name: `a list of settlements with ${text.slice(0, 30)}`,
    path: `/settlements/?${text}`,
    refused: wrong(field),
  })),
  ...(
    [
      ['/settlements/', 'status=pending', 'status'],
      ['/settlements/', 'locale=de', 'locale'],
      ['/wallet-transfers/', 'status=DONE', 'status'],
      ['/wallet-transfers/', 'created_at__lte=x', 'created_at__lte'],
      ['/payment-links/', 'is_active=maybe', 'is_active'],
      ['/merchant-ledger-entries/', 'kind=GIFT', 'kind'],
      ['/merchant-ledger-entries/', 'transaction=x', 'transaction'],
      ['/merchant-ledger-entries/', 'bom=x', 'bom'],
      ['/webhook-logs/', 'answer=500', 'answer'],
      ['/webhook-logs/', 'created_at__gte=x', 'created_at__gte'],
      ...[
        ...['/settlements/', '/wallet-transfers/', '/payment-links/', '/webhook-logs/'],
        ...['/merchant-ledger-entries/', '/refunds/', '/transactions/'],
      ].flatMap((list) =>
        ['colour', 'status,,created_at', 'all,created_at', 'Created_at'].map(
          (choice) => [list, `columns=${choice}`, 'columns'] as const,
        ),
      ),
    ] as const
  ).map(([list, text, field]) => ({
    name: `a file of ${list} with ${text}`,
    path: `${list}export/?${text}`,
    refused: wrong(field),
  })),
]
