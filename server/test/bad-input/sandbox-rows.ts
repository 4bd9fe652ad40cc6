// What is refused at the sandbox's own addresses (contract 6.9).

import { notFound, post, type Refused, type Row, refused, shown, wrong } from './row.ts'

const choice = { network_code: 'mtn_bj', direction: 'COLLECT', dialect: 'mtn' }
const spoken = (name: string, body: unknown, refusal: Refused): Row => ({
  ...post(`what a network speaks: ${name}`, '/sandbox/dialects/', body, refusal),
  method: 'PUT',
})

export const sandboxRows: Row[] = [
  ...['DONE', 'success', '', 5, null, undefined].map((outcome) =>
    post(
      `outcome ${shown(outcome)}`,
      '/sandbox/transactions/{pending}/resolve/',
      { outcome },
      wrong('outcome'),
    ),
  ),
  post(
    'an unknown failure_code',
    '/sandbox/transactions/{pending}/resolve/',
    { outcome: 'FAILED', failure_code: 'BAD_LUCK' },
    wrong('failure_code'),
  ),
  post(
    'an outcome of what has ended',
    '/sandbox/transactions/{paid}/resolve/',
    { outcome: 'FAILED' },
    refused(409, 'transaction_terminal'),
  ),
  post(
    'an outcome of what no operator has',
    '/sandbox/transactions/{unattempted}/resolve/',
    { outcome: 'SUCCESS' },
    refused(409, 'not_resolvable'),
  ),
  ...[0, 2001, -1, 1.5, 'ten'].map((transactions) =>
    post(
      `examples: ${shown(transactions)}`,
      '/sandbox/examples/',
      { transactions },
      wrong('transactions'),
    ),
  ),
  ...[0, 366].map((days) =>
    post(`examples over ${days} days`, '/sandbox/examples/', { days }, wrong('days')),
  ),
  { ...post('examples in LIVE', '/sandbox/examples/', {}, notFound), as: 'live' },
  spoken('no field', {}, wrong('network_code', 'direction', 'dialect')),
  spoken('a way that there is not', { ...choice, direction: 'BOTH' }, wrong('direction')),
  spoken('what nobody speaks', { ...choice, dialect: 'esperanto' }, wrong('dialect')),
  spoken(
    'a network that there is not',
    { ...choice, network_code: 'mtn_zz' },
    wrong('network_code'),
  ),
  spoken('another operator’s network', { ...choice, network_code: 'moov_bj' }, wrong('dialect')),
  spoken(
    'payouts of a card',
    { ...choice, network_code: 'card', direction: 'DISBURSE' },
    wrong('direction'),
  ),
  { ...spoken('in LIVE', choice, notFound), as: 'live' },
  post('no field', '/sandbox/balances/', {}, wrong('country', 'amount')),
  post(
    'two wrong fields',
    '/sandbox/balances/',
    { country: 'BEN', amount: '1e3' },
    wrong('country', 'amount'),
  ),
  ...['ZZ', 'FR'].map((country) =>
    post(
      `funds in ${country}`,
      '/sandbox/balances/',
      { country, amount: '5000' },
      refused(422, 'invalid_country'),
    ),
  ),
  post(
    'more play money than a sum may have digits',
    '/sandbox/balances/',
    { country: 'BJ', amount: '1000000000000' },
    wrong('amount'),
  ),
  ...['ZZ', 'BEN', 'b'].map((country) => ({
    name: `outcomes of the country ${country}`,
    path: `/sandbox/outcomes/?country=${country}`,
    refused: refused(422, 'invalid_country'),
  })),
  { name: 'examples for LIVE', path: '/sandbox/examples/', refused: notFound, as: 'live' },
  { name: 'outcomes for LIVE', path: '/sandbox/outcomes/', refused: notFound, as: 'live' },
  post('half a franc', '/sandbox/balances/', { country: 'BJ', amount: '0.5' }, wrong('amount')),
  {
    ...post(
      'sandbox funds for LIVE',
      '/sandbox/balances/',
      { country: 'BJ', amount: '5000' },
      notFound,
    ),
    as: 'live',
  },
  {
    ...post(
      'a sandbox outcome for LIVE',
      '/sandbox/transactions/{pending}/resolve/',
      { outcome: 'SUCCESS' },
      notFound,
    ),
    as: 'live',
  },
]
