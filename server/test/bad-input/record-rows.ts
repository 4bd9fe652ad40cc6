// What is refused of ids, states, lists, filters and webhooks (contract 1.6, 3.5, 5.4 to 5.6,
// 6.5).

import { questionRows } from './question-rows.ts'
import { notFound, post, query, type Refused, type Row, refused, shown, wrong } from './row.ts'
import { sandboxRows } from './sandbox-rows.ts'
import { settlementsRows } from './settlements-rows.ts'
import { walletsRows } from './wallets-rows.ts'

const oddIds = [
  '0',
  'null',
  'undefined',
  '01981f3a5b607c119a520242ac120002',
  '01981f3a-5b60-7c11-9a52-0242ac12000g',
  '{unknown}0',
  '%7B{unknown}%7D',
  '{unknown}%20',
  "1'%20or%20'1'='1",
  '..%2f..',
]

const idPaths = [
  '/transactions/{unknown}/evidence/',
  '/transactions/{unknown}/timeline/',
  '/transactions/{unknown}/receipt/',
  '/transaction-attempts/{unknown}/',
  '/transaction-status-logs/{unknown}/',
  '/merchant-balances/{unknown}/',
  '/merchant-webhooks/{unknown}/',
  '/merchant-webhooks/{unknown}/stats/',
  '/payment-links/{unknown}/stats/',
  '/networks/{unknown}/',
]

const ids: Row[] = [
  ...idPaths.map((path) => ({ name: path, path, refused: notFound })),
  {
    name: 'DELETE of another merchant’s webhook',
    method: 'DELETE',
    path: '/merchant-webhooks/{webhook_of_stranger}/',
    refused: refused(403, 'permission_denied'),
  },
  {
    name: 'DELETE of the webhook of the other environment',
    method: 'DELETE',
    path: '/merchant-webhooks/{webhook_live}/',
    refused: notFound,
  },
  ...oddIds.map((id) => ({
    name: `the id ${id}`,
    path: `/transactions/${id}/`,
    refused: notFound,
  })),
  ...oddIds.map((id) => ({
    name: `a retry of the id ${id}`,
    path: `/payments/${id}/retry/`,
    body: {},
    refused: notFound,
  })),
]

const states: Row[] = [
  post(
    'a retry while pending',
    '/payments/{pending}/retry/',
    {},
    {
      ...refused(409, 'payment_already_pending'),
    },
  ),
  post('a retry after success', '/payments/{paid}/retry/', {}, refused(409, 'not_retryable')),
  post('a retry of a payout', '/payments/{outbound}/retry/', {}, refused(400, 'invalid_flow')),
  ...['nobody_bj', 'coris_bj', 'mtn_ci', 'card'].map((method) =>
    post(
      `a retry by ${method}`,
      '/payments/{failed}/retry/',
      { methods: ['mtn_bj', method] },
      refused(422, 'invalid_method'),
    ),
  ),
  ...['mtn_bj', 5, {}, [5], [''], [null], [['mtn_bj']], Array(11).fill('mtn_bj')].map((methods) =>
    post(
      `a retry by ${shown(methods)}`,
      '/payments/{failed}/retry/',
      { methods },
      wrong('methods'),
    ),
  ),
  post('a retry with otp 5', '/payments/{failed}/retry/', { otp: 5 }, wrong('otp')),
  ...[undefined, null, '', 123_456, [], {}, '1234567890123'].map((otp) =>
    post(`otp ${shown(otp)}`, '/payments/{coded}/confirm-otp/', { otp }, wrong('otp')),
  ),
  post(
    'a wrong code',
    '/payments/{coded}/confirm-otp/',
    { otp: '000000' },
    refused(422, 'otp_confirmation_failed'),
  ),
  ...(
    [
      ['pending', 400, 'otp_not_applicable'],
      ['outbound', 400, 'invalid_flow'],
      ['unattempted', 409, 'no_attempt'],
    ] as const
  ).map(([name, status, code]) =>
    post(
      `a code for the ${name} one`,
      `/payments/{${name}}/confirm-otp/`,
      { otp: '123456' },
      refused(status, code),
    ),
  ),
  { name: 'verify of a payout', path: '/payments/{outbound}/verify/', refused: notFound },
]

const cursorLists = [
  '/transactions/',
  '/transaction-attempts/',
  '/transaction-status-logs/',
  '/merchant-ledger-entries/',
  '/transactions/{paid}/timeline/',
]
const numberLists = [
  ...['/networks/', '/exchange-rates/', '/merchant-balances/', '/merchant-webhooks/'],
  '/sandbox/dialects/',
]
const noCount = ['0', '-1', 'abc', '1.5', '1e2', '+5', '%205', '0x10']
const badCursors = [
  'x',
  '{cursor_changed}',
  '{cursor_cut}',
  '{cursor}%3D',
  '{cursor}A',
  '{cursor_other_place}',
  '%5B%5D',
  'WyJuZXh0Il0',
]

const lists: Row[] = [
  ...cursorLists.flatMap((list) => [
    ...noCount.map((size) => query(`${list}?page_size=${size}`, wrong('page_size'))),
    ...badCursors.map((cursor) => query(`${list}?cursor=${cursor}`, wrong('cursor'))),
  ]),
  ...numberLists.flatMap((list) => [
    ...noCount.map((size) => query(`${list}?page_size=${size}`, wrong('page_size'))),
    ...noCount.map((page) => query(`${list}?page=${page}`, wrong('page'))),
    ...['2000', '9'.repeat(30)].map((page) => query(`${list}?page=${page}`, notFound)),
    ...['id', '-', 'created_at%20desc', 'name;drop', '--created_at'].map((ordering) =>
      query(`${list}?ordering=${ordering}`, wrong('ordering')),
    ),
    query(`${list}?page=0&page_size=x&ordering=x`, wrong('page', 'page_size', 'ordering')),
  ]),
]

const badFilters: Record<string, Record<string, string[]>> = {
  '/transactions/': {
    status: ['SUCCES', 'pending', 'PENDING,FAILED'],
    transaction_type: ['PAYMENT', 'paiement'],
    flow_direction: ['IN', 'inbound'],
    currency: ['XO', '952', 'XOFF'],
    country: ['BEN', 'B', 'x-y'],
    network: ['a%20b', "'", 'MTN_BJ'],
    merchant: ['abc'],
    customer: ['abc'],
    payment_link: ['abc', 'null'],
    checkout_session: ['abc'],
    created_by_member: ['me'],
    api_key: ['sk_test_x'],
    via: ['key', 'PAGE'],
    failure_code: ['NO_MONEY', 'insufficient_funds', 'EXPIRED,UNKNOWN'],
    amount__gte: ['-5', 'abc', '10.001', '1e3', '0', '%00'],
    amount__lte: ['1,5', '9'.repeat(13)],
    merchant_reference: ['x'.repeat(101), '%00'],
    created_at__gte: ['yesterday', '2026-02-30', '2026-13-01', '1700000000', '2026-01-01T25:00Z'],
    created_at__lte: ['now', '21/11/2026', '2026-01-01T10:00:00+99:00'],
  },
  '/transactions/{paid}/timeline/': {
    group: ['MOVE', 'attempts', 'LEDGER,WEBHOOKS'],
    ordering: ['at', '-at', 'created_at,-created_at'],
  },
  '/transaction-attempts/': {
    status: ['OPEN', 'CANCELLED'],
    gateway: ['simulator_a'],
    transaction: ['abc'],
  },
  '/transaction-status-logs/': {
    to_status: ['DONE', 'UNKNOWN'],
    triggered_by: ['CRON'],
    transaction: ['abc'],
  },
  '/merchant-ledger-entries/': {
    ...{ direction: ['UP', 'credit'], currency: ['XO', '12'], kind: ['PAYIN', 'payout'] },
    ...{ transaction: ['abc'], settlement: ['abc'], wallet_transfer: ['abc'] },
    reference: ['x'.repeat(101), '%00'],
  },
  ...Object.fromEntries(
    ['/settlements/', '/wallet-transfers/', '/checkout-sessions/'].map((list) => [
      list,
      { created_at__gte: ['yesterday', '2026-02-30'], created_at__lte: ['now'] },
    ]),
  ),
  '/refunds/': {
    status: ['DONE', 'pending'],
    reference: ['x'.repeat(101), '%00'],
    created_at__gte: ['yesterday', '2026-02-30', '1700000000'],
    created_at__lte: ['now', '21/11/2026'],
  },
  '/merchant-webhooks/': { search: ['x'.repeat(256), '%00'] },
  '/events/stream/': { after: ['x', '-1', '1.5', '%00', '9'.repeat(19)] },
}

const filters: Row[] = [
  ...Object.entries(badFilters).flatMap(([list, fields]) =>
    Object.entries(fields).flatMap(([field, values]) =>
      values.map((value) => query(`${list}?${field}=${value}`, wrong(field))),
    ),
  ),
  query(
    '/transactions/?status=x&currency=1&created_at__gte=x&page_size=0',
    wrong('status', 'currency', 'created_at__gte', 'page_size'),
  ),
  ...(
    [
      ['', ['from', 'to', 'amount']],
      ['?from=EUR&to=XOF', ['amount']],
      ['?from=EUR&to=XOF&amount=', ['amount']],
      ['?from=EUR&to=XOF&amount=1e3', ['amount']],
      ['?from=EUR&to=XOF&amount=-5', ['amount']],
      ['?from=EUR&to=XOF&amount=0', ['amount']],
      ['?from=EUR&to=XOF&amount=5.001', ['amount']],
      ['?from=XOF&to=EUR&amount=100.50', ['amount']],
      ['?from=ZZZ&to=12&amount=x', ['from', 'to', 'amount']],
    ] as const
  ).map(([text, fields]) => query(`/exchange-rates/convert/${text}`, wrong(...fields))),
  query('/exchange-rates/convert/?from=MXN&to=XOF&amount=5', refused(422, 'no_exchange_rate')),
  query('/availability/?environment=MOON', wrong('environment')),
  ...['', '?msisdn=', '?msisdn=abc', '?msisdn=97000010'].map((text) =>
    query(`/networks/predict/${text}`, wrong('msisdn')),
  ),
  query('/networks/predict/?msisdn=97000010&country=1', wrong('country')),
]

const hook = (name: string, body: Record<string, unknown>, refusal: Refused): Row =>
  post(`a webhook with ${name}`, '/merchant-webhooks/', body, refusal)
const url = 'https://hooks.example.com/x'

const badUrls: unknown[] = [
  '',
  'x',
  '/hooks',
  'ftp://hooks.example.com/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'http:hooks.example.com',
  'https://user:pass@hooks.example.com/',
  'https://hooks.example.com:22/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fe80::1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://0.0.0.0/',
  'http://2852039166/',
  'https://hooks.example.com/\nx',
  `https://hooks.example.com/${'x'.repeat(2048)}`,
  5,
  [],
  {},
]

const webhooks: Row[] = [
  ...badUrls.map((bad) => hook(`url ${shown(bad)}`, { url: bad }, wrong('url'))),
  hook('no url', {}, wrong('url')),
  hook('environment TEST', { url, environment: 'TEST' }, wrong('environment')),
  hook('an unknown event', { url, events: ['transaction.success', 'x'] }, wrong('events')),
  hook('one event, no list', { url, events: 'transaction.success' }, wrong('events')),
  hook('a payment_link that is no id', { url, payment_link: 'x' }, wrong('payment_link')),
  hook('a description of 256', { url, description: 'x'.repeat(256) }, wrong('description')),
  hook('LIVE by a sandbox key', { url, environment: 'LIVE' }, refused(403, 'permission_denied')),
  {
    ...hook(
      'SANDBOX by a live key',
      { url, environment: 'SANDBOX' },
      {
        ...refused(403, 'permission_denied'),
      },
    ),
    as: 'live',
  },
  { ...hook('http in LIVE', { url: 'http://hooks.example.com/' }, wrong('url')), as: 'live' },
  ...(
    [
      [{ is_active: 'yes' }, 'is_active'],
      [{ is_active: 1 }, 'is_active'],
      [{ url: 'ftp://x.example' }, 'url'],
      [{ url: 'http://169.254.169.254/' }, 'url'],
      [{ events: ['x'] }, 'events'],
      [{ description: 5 }, 'description'],
    ] as const
  ).map(([body, field]) => ({
    ...post(`a change to ${shown(body)}`, '/merchant-webhooks/{webhook}/', body, wrong(field)),
    method: 'PATCH',
  })),
  post(
    'a test of a webhook that is off',
    '/merchant-webhooks/{webhook_off}/test/',
    {},
    refused(409, 'webhook_inactive'),
  ),
]

export const recordRows: Row[] = [
  ...ids,
  ...states,
  ...sandboxRows,
  ...lists,
  ...questionRows,
  ...filters,
  ...webhooks,
  ...walletsRows,
  ...settlementsRows,
]
