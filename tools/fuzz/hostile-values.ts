// What no honest client sends: the words, numbers and shapes that have broken other services. They
// contain no host that somebody else owns (a URL here leads to loopback or to `.invalid`).

import { Raw } from './json-text.ts'

export const hostileTexts = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'x\udfffy',
    '\u202eevil',
    '\u200f\u200e',
    '\ufeff',
    '\u2028',
  ],
  ...[
    '\r\nX-Injected: 1',
    '\t\n\v\f',
    '\x1b[31m',
    '\x7f',
    'é',
    '🛶'.repeat(40),
    'İi̇ıI',
    'ﬁ',
    '٣٤٥',
  ],
  ...['Z\u0351\u036b'.repeat(30), 'null', 'undefined', 'NaN', 'true', '[object Object]'],
  ...["' or 1=1 --", "'; drop table transactions; --", '$1', '%s%n%d', '#{7*7}', '{{7*7}}', '~x~'],
  ...['<script>alert(1)</script>', '"><img src=x>', '=cmd|calc', '../../etc/passwd', 'C:\\CON'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '00000000-0000-0000-0000-000000000000',
  ],
  ...[
    '-1',
    '0',
    '-0',
    '1e3',
    '1e400',
    '0x10',
    '1,000',
    '١٢٣',
    '9'.repeat(40),
    '0.000000001',
    '.5',
    '5.',
  ],
  ...[
    '+2290197000010',
    '+229 01 97 00 00 10',
    '0022901970000',
    '+',
    '+99999999999999999999',
    '++229',
  ],
  ...[
    'a@b',
    'a@b.co',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.example`,
    'é@exämple.test',
    '"a b"@c.de',
  ],
  ...[
    'http://127.0.0.1:9/',
    'https://hook.invalid/',
    'http://[::1]:9/',
    'http://127.1:9',
    'ftp://x/',
  ],
  ...[
    'javascript:alert(1)',
    'http://hook.invalid:99999/',
    '//hook.invalid',
    'https://',
    'https://a b/',
  ],
  ...['2026-02-30', '2026-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '0000-00-00', '+275760-09-13'],
  ...[
    'a'.repeat(256),
    'a'.repeat(2_049),
    'é'.repeat(5_000),
    'x'.repeat(70_000),
    'mtn_bj',
    'XOF',
    'BJ',
  ],
] as const

const big = [...'1234567890'].join('').repeat(40)

/** As they stand in JSON. The last ones are no JSON at all. */
export const hostileNumbers = [
  ...['0', '-0', '-1', '0.1', '1e-7', '0.30000000000000004', '100.005', '1e21', '1e308', '1e400'],
  ...['-1e400', '9007199254740993', '9223372036854775808', '-9223372036854775809', big, `0.${big}`],
  ...[
    '1E+2',
    '5000.000',
    '4.9e-324',
    '2147483648',
    '99999999999.99',
    'NaN',
    'Infinity',
    '01',
    '+1',
  ],
] as const

const nested = (depth: number, open: string, close: string) =>
  new Raw(`${open.repeat(depth)}${close.repeat(depth)}`)

const pairs = (count: number) =>
  new Raw(`{${Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(',')}}`)

/** Values of another shape than any field wants. */
export const hostileShapes: readonly unknown[] = [
  ...[null, true, false, {}, [], [[]], [null], [{}], { '': '' }, { a: { b: { c: null } } }],
  new Raw('{"__proto__":{"polluted":true}}'),
  new Raw('{"constructor":{"prototype":{"polluted":true}}}'),
  new Raw('{"toString":1,"valueOf":1,"hasOwnProperty":1,"length":-1,"then":1,"toJSON":1}'),
  new Raw('{"a":1,"a":2,"a":3}'),
  new Raw('{"\\u0000":"\\u0000","\\ud800":"\\udfff"}'),
  new Raw(`{${JSON.stringify('k'.repeat(10_000))}:1}`),
  ...[31, 32, 33, 200, 5_000].map((depth) => nested(depth, '[', ']')),
  new Raw(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`),
  nested(60_000, '[', ']'),
  pairs(50),
  pairs(51),
  pairs(5_000),
  Array.from({ length: 101 }, (_, at) => at),
  Array.from({ length: 5_000 }, () => 'mtn_bj'),
]

export const prototypeKeys = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON'],
  ...['then', 'length', '', '\0', '\ud800', 'a.b', 'a[b]', '$where', 'é', 'k'.repeat(300)],
] as const
