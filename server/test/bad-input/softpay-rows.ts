// What a softpay call refuses of its body (contract 2.1 to 2.5, 5.1 to 5.4), and the other routes
// that take an amount.

import { payer, softpay } from '../harness.ts'
import { type Row, refused, shown, softpayPath, softpayWith, wrong } from './row.ts'

const badAmounts: unknown[] = [
  '1e3',
  '1E3',
  '-5',
  '+5',
  '0',
  '0.00',
  '000',
  '5.001',
  '5000.000',
  '1234567890123',
  '',
  ' 5000',
  '5000 ',
  '5000\n',
  '5,000',
  '5000,00',
  '5000.',
  '.5',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
  '٥٠٠٠',
  '５０００',
  '5000 XOF',
  '5000\u0000',
  '9'.repeat(33),
  -5,
  0,
  5.001,
  1e21,
  1e-7,
  1_234_567_890_123,
  true,
  false,
  [],
  ['5000'],
  {},
  { value: '5000' },
  null,
]

const amounts: Row[] = [
  ...badAmounts.map((amount) =>
    softpayWith(`amount ${shown(amount)}`, { amount }, wrong('amount')),
  ),
  softpayWith('no amount', { amount: undefined }, wrong('amount')),
  softpayWith('"100.50" XOF', { amount: '1000.50' }, wrong('amount')),
  softpayWith('1000.5 XOF', { amount: 1000.5 }, wrong('amount')),
  softpayWith(
    'an amount below the least tier',
    { amount: '199' },
    { ...wrong('amount'), says: /minimum.* 200 XOF/ },
  ),
  softpayWith(
    'an amount above the last tier',
    { amount: '100000001' },
    { ...wrong('amount'), says: /maximum.* 100000000 XOF/ },
  ),
  softpayWith(
    'an amount that is below the least tier once converted',
    { amount: '0.01', currency: 'EUR' },
    { ...wrong('amount'), says: /minimum.* 200 XOF/ },
  ),
  softpayWith(
    'an amount that is nothing once converted',
    { amount: '0.01', currency: 'GNF' },
    wrong('amount'),
  ),
  softpayWith(
    'an amount that rounds to nothing once converted',
    { amount: '0.01', currency: 'INR' },
    { ...wrong('amount'), says: /too small in XOF/ },
  ),
  ...['1000', '999', '200'].map((amount) => ({
    ...softpayWith(
      `a deducted fee that takes all of ${amount}`,
      { amount, fee_charge_mode: 'DEDUCTED' },
      { ...wrong('amount'), says: /fee/ },
    ),
    as: 'dear' as const,
  })),
  ...badAmounts
    .filter((amount) => amount !== null)
    .map((amount) => ({
      name: `sandbox funds of ${shown(amount)}`,
      path: '/sandbox/balances/',
      body: { country: 'BJ', amount },
      refused: wrong('amount'),
    })),
]

const currencies: Row[] = [
  ...['ZZZ', 'XXX', 'XO', 'XOFF', '', 'X F', 'XÓF', '€€€', '952', 952, true, ['XOF'], {}].map(
    (currency) => softpayWith(`currency ${shown(currency)}`, { currency }, wrong('currency')),
  ),
  softpayWith('no currency', { currency: undefined }, wrong('currency')),
  softpayWith('a null currency', { currency: null }, wrong('currency')),
  ...['MXN', 'BRL', 'TND'].map((currency) =>
    softpayWith(
      `${currency}, which has no rate`,
      { currency, amount: '5000.00' },
      refused(422, 'no_exchange_rate'),
    ),
  ),
]

const places: Row[] = [
  ...['ZZ', 'FR', 'b1', '  '].map((country) =>
    softpayWith(`country ${shown(country)}`, { country }, refused(422, 'invalid_country')),
  ),
  ...['BEN', 'B', '', 24, true, ['BJ'], {}, null, undefined].map((country) =>
    softpayWith(`country ${shown(country)}`, { country }, wrong('country')),
  ),
  ...['nobody_bj', 'MTN_BJ', 'coris_bj', 'mtn_ci', 'card', ' mtn_bj', "' or 1=1"].map((network) =>
    softpayWith(`network ${shown(network)}`, { network }, refused(422, 'invalid_method')),
  ),
  ...['', 5, true, ['mtn_bj'], {}, null, undefined, 'x'.repeat(41)].map((network) =>
    softpayWith(`network ${shown(network)}`, { network }, wrong('network')),
  ),
]

const good = payer('+2290197000010')

const session = {
  amount: '5000',
  currency: 'XOF',
  customer_email: 'awa@example.com',
  customer_name: 'Awa Diop',
}

/** As a sender wrote them: beyond the whole numbers that doubles tell apart, and beyond any. */
const inexact: Row[] = ['123456789012345678', '-1e400'].flatMap((number) =>
  [[softpayPath, softpay()] as const, ['/checkout-sessions/', session] as const].map(
    ([path, body]) => ({
      name: `${number} in the metadata of ${path}`,
      path,
      headers: { 'content-type': 'application/json' },
      raw: JSON.stringify({ ...body, metadata: { order: { id: '#' } } }).replace('"#"', number),
      refused: { ...wrong('metadata.order.id'), says: /Send it as a string\./ },
    }),
  ),
)

const customerWith = (name: string, changes: Record<string, unknown>, ...fields: string[]) =>
  softpayWith(name, { customer: { ...good, ...changes } }, wrong(...fields))

const customers: Row[] = [
  ...['x', 5, true, [], [good]].map((customer) =>
    softpayWith(`customer ${shown(customer)}`, { customer }, wrong('customer')),
  ),
  softpayWith('no customer', { customer: undefined }, wrong('customer')),
  softpayWith('a null customer', { customer: null }, wrong('customer')),
  softpayWith('an empty customer', { customer: {} }, wrong('customer.phone')),
  ...['', '   ', null, undefined, 97_000_010, [], {}, 'x\u0000', '9'.repeat(41)].map((phone) =>
    customerWith(`phone ${shown(phone)}`, { phone }, 'customer.phone'),
  ),
  ...[
    'abc',
    '1',
    '+2290197',
    '+22901970000100',
    '+33612345678',
    '+0',
    '9'.repeat(40),
    '0197x00010',
    '+229+0197000010',
    '-',
  ].map((phone) =>
    softpayWith(
      `phone ${shown(phone)}`,
      { customer: { ...good, phone } },
      refused(422, 'invalid_customer'),
    ),
  ),
  ...[
    'x',
    'a@b',
    '@b.cd',
    'a@.cd',
    'a b@c.de',
    'a@b..cd',
    'a@-b.cd',
    'a@b.cd\n',
    '<a@b.cd>',
    ' ',
    5,
    `a@${'b'.repeat(250)}.cd`,
  ].map((email) => customerWith(`e-mail ${shown(email)}`, { email }, 'customer.email')),
  customerWith('a first name of 101', { first_name: 'x'.repeat(101) }, 'customer.first_name'),
  customerWith('a last name that is a number', { last_name: 5 }, 'customer.last_name'),
  customerWith(
    'NUL in one name, a surrogate in the other',
    { first_name: 'A\u0000', last_name: '\ud800' },
    'customer.first_name',
    'customer.last_name',
  ),
]

const nested = (depth: number): unknown => JSON.parse('{"a":'.repeat(depth) + 1 + '}'.repeat(depth))

const bad: Record<string, unknown[]> = {
  metadata: ['x', 5, true, ['a'], [{}], [[]], { a: 'x'.repeat(8192) }, nested(40)],
  fee_charge_mode: ['BOTH', 'add_on', '', 5, true, [], {}],
  otp: [123_456, true, [], {}, ' ', '1234567890123'],
  return_url: [
    'javascript:alert(1)',
    'JavaScript://x.example/%0Aalert(1)',
    'data:text/html,x',
    'ftp://shop.example',
    '//shop.example/x',
    '/relative',
    'shop.example',
    'http://',
    'https://user:pass@shop.example/',
    'https://shop.example/\r\nSet-Cookie: a=b',
    ' https://shop.example/',
    'https://shop.example/a b',
    'https:\\\\shop.example',
    5,
    [],
    `https://shop.example/${'x'.repeat(2048)}`,
  ],
  merchant_reference: ['x'.repeat(101), 5, [], {}, 'x\u0000'],
  description: ['x'.repeat(256), 5, [], {}, '\ud800'],
  preferred_gateway: ['x'.repeat(101), 5],
}

const options: Row[] = [
  ...Object.entries(bad).flatMap(([field, values]) =>
    values.map((value) =>
      softpayWith(`${field} ${shown(value)}`, { [field]: value }, wrong(field)),
    ),
  ),
  softpayWith('NUL deep in metadata', { metadata: { a: { b: '\u0000' } } }, wrong('metadata.a.b')),
  softpayWith('NUL in a key of metadata', { metadata: { '\u0000': 1 } }, wrong('metadata')),
  ...inexact,
  {
    ...softpayWith(
      'another fee_charge_mode than the merchant’s own',
      { fee_charge_mode: 'DEDUCTED' },
      refused(422, 'fee_charge_mode_locked'),
    ),
    as: 'locked',
  },
  softpayWith(
    'no code where the payer makes one first',
    {
      country: 'CI',
      network: 'orange_ci',
      customer: payer('+2250700000010'),
    },
    { ...refused(422, 'prepayment_otp_missing'), says: /#144\*82#/ },
  ),
  {
    ...softpayWith('LIVE, where no route is', {}, refused(422, 'no_route_available')),
    as: 'live',
  },
]

const together: Row[] = [
  {
    name: 'an empty body',
    path: softpayPath,
    body: {},
    refused: wrong('amount', 'currency', 'country', 'network', 'customer'),
  },
  {
    name: 'wrong fields of every kind at once',
    path: '/payments/softpay/',
    body: softpay({
      amount: '-5',
      currency: 'ZZZ',
      customer: { ...good, email: 'x', phone: '' },
      description: 'x\u0000',
      metadata: ['a'],
      return_url: 'javascript:1',
    }),
    refused: wrong(
      'amount',
      'currency',
      'customer.email',
      'customer.phone',
      'description',
      'metadata',
      'return_url',
    ),
  },
]

export const softpayRows: Row[] = [
  ...amounts,
  ...currencies,
  ...places,
  ...customers,
  ...options,
  ...together,
]
