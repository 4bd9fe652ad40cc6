// What proves a signed request, and what does not: each thing that a signature covers, changed by
// itself; both forms of a signature on a curve; a time that is over; fields by chance.

import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  constants as keyUse,
  sign,
} from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canSign,
  digestFits,
  type RequestSigned,
  type SignatureRules,
  signRequest,
  type Verdict,
  verifyRequest,
} from './http-signature.ts'
import { readDictionary, writeInnerList } from './structured-fields.ts'

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keys: Readonly<Record<string, KeyObject>> = {
  'K:1': p256.publicKey,
  'K:2': p384.publicKey,
  'K:3': rsa.publicKey,
}

const created = 1_714_657_551
const now_ms = created * 1000
const body = Buffer.from('{"depositId":"4985d482-454d-4ebc-abc9-ad525eef21b6"}')
const six = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type']
const rules: SignatureRules = {
  label: 'sig-pp',
  required: six,
  headers: ['signature-date', 'content-digest', 'content-type', 'content-length'],
  public_key: (id) => keys[id],
  now_ms,
  skew_s: 60,
}

type How = Readonly<{
  covered?: readonly string[]
  alg?: string | undefined
  key_id?: string
  encoding?: 'der' | 'ieee-p1363'
  digest?: 'sha-256' | 'sha-512'
  params?: string
}>

const digestOf = (how: How): string => {
  const name = how.digest ?? 'sha-512'
  const hash = createHash(name === 'sha-256' ? 'sha256' : 'sha512').update(body)
  return `${name}=:${hash.digest('base64')}:`
}

function signedBase(base: string, alg: string, dsaEncoding: 'der' | 'ieee-p1363'): Buffer {
  const data = Buffer.from(base)
  if (alg === 'ecdsa-p384-sha384')
    return sign('sha384', data, { key: p384.privateKey, dsaEncoding })
  if (alg === 'rsa-v1_5-sha256') return sign('sha256', data, rsa.privateKey)
  if (alg === 'rsa-pss-sha512') {
    const padding = keyUse.RSA_PKCS1_PSS_PADDING
    return sign('sha512', data, { key: rsa.privateKey, padding, saltLength: 64 })
  }
  return sign('sha256', data, { key: p256.privateKey, dsaEncoding })
}

/** Written by hand from the standard: it shares nothing with what is tested. */
function signed(how: How = {}): RequestSigned {
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=UTF-8',
    'content-length': String(body.length),
    'content-digest': digestOf(how),
    'signature-date': '2024-05-02T16:45:51.131905Z',
  }
  const derived: Record<string, string> = {
    '@method': 'POST',
    '@authority': 'shop.example',
    '@path': '/callbacks/pawapay_bj',
    '@query': '?a=1',
  }
  const covered = how.covered ?? six
  const alg = 'alg' in how ? how.alg : 'ecdsa-p256-sha256'
  const named = alg === undefined ? '' : `;alg="${alg}"`
  const params =
    how.params ??
    `${named};keyid="${how.key_id ?? 'K:1'}";created=${created};expires=${created + 60}`
  const list = `(${covered.map((name) => `"${name}"`).join(' ')})${params}`
  const lines = covered.map((name) => `"${name}": ${derived[name] ?? headers[name]}`)
  const base = [...lines, `"@signature-params": ${list}`].join('\n')
  const signature = signedBase(base, alg ?? '', how.encoding ?? 'der').toString('base64')
  return {
    ...{ method: 'POST', authority: 'shop.example', path: '/callbacks/pawapay_bj', query: 'a=1' },
    headers: {
      ...headers,
      'signature-input': `sig-pp=${list}`,
      signature: `sig-pp=:${signature}:`,
    },
    body,
  }
}

const judge = (request: RequestSigned, changes: Partial<SignatureRules> = {}): Verdict['is'] =>
  verifyRequest(request, { ...rules, ...changes }).is

const withHeader = (request: RequestSigned, name: string, value: string): RequestSigned => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})

describe('a signature', () => {
  it.each([
    {},
    { encoding: 'ieee-p1363' },
    { digest: 'sha-256' },
    { covered: [...six, 'content-length'] },
    { covered: ['@query', ...six.toReversed()] },
    { alg: undefined },
    { alg: 'ecdsa-p384-sha384', key_id: 'K:2' },
    { alg: 'ecdsa-p384-sha384', key_id: 'K:2', encoding: 'ieee-p1363' },
    { alg: 'rsa-pss-sha512', key_id: 'K:3' },
    { alg: 'rsa-v1_5-sha256', key_id: 'K:3' },
  ] as const)('proves the request that it was made over: %j', (how) => {
    expect(judge(signed(how))).toBe('valid')
  })

  const tampered: Readonly<Record<string, (one: RequestSigned) => RequestSigned>> = {
    'another body': (one) => ({ ...one, body: Buffer.from(`${body} `) }),
    'another method': (one) => ({ ...one, method: 'PUT' }),
    'another host': (one) => ({ ...one, authority: 'evil.example' }),
    'another path': (one) => ({ ...one, path: '/callbacks/pawapay_ci' }),
    'another time of signing': (one) => withHeader(one, 'signature-date', '2024-05-02T16:45:52Z'),
    'another type': (one) => withHeader(one, 'content-type', 'text/plain'),
    'a digest of another body, and that body': (one) => {
      const other = Buffer.from('{"amount":"9"}')
      const digest = `sha-256=:${createHash('sha256').update(other).digest('base64')}:`
      return { ...withHeader(one, 'content-digest', digest), body: other }
    },
    'a later end': (one) =>
      withHeader(
        one,
        'signature-input',
        `${one.headers['signature-input']}`.replace(/expires=\d+/, `expires=${created + 9999}`),
      ),
    'a list that leaves something out': (one) =>
      withHeader(
        one,
        'signature-input',
        `${one.headers['signature-input']}`.replace(' "content-type"', ''),
      ),
    'another key’s name': (one) =>
      withHeader(one, 'signature-input', `${one.headers['signature-input']}`.replace('K:1', 'K:2')),
    'another signature': (one) => withHeader(one, 'signature', `sig-pp=:${'A'.repeat(88)}:`),
    'another label': (one) =>
      withHeader(one, 'signature', `${one.headers['signature']}`.replace('sig-pp', 'sig1')),
  }
  it.each(Object.entries(tampered))('proves nothing with %s', (_, change) => {
    for (const encoding of ['der', 'ieee-p1363'] as const) {
      expect(judge(change(signed({ encoding })))).toBe('invalid')
    }
  })

  it('that covers too little proves nothing, however good it is', () => {
    for (const left_out of six) {
      expect(judge(signed({ covered: six.filter((one) => one !== left_out) }))).toBe('invalid')
    }
    expect(judge(signed({ covered: [...six, '@path'] })), 'twice').toBe('invalid')
    expect(judge(signed({ covered: [...six, 'x-other'] })), 'not kept').toBe('invalid')
    expect(judge(signed({ covered: [...six, '@status'] })), 'of no request').toBe('invalid')
  })

  it('by a key of another kind than it says proves nothing', () => {
    expect(judge(signed({ alg: 'ecdsa-p384-sha384', key_id: 'K:1' }))).toBe('invalid')
    expect(judge(signed({ alg: 'rsa-v1_5-sha256', key_id: 'K:1' }))).toBe('invalid')
    expect(judge(signed({ alg: 'hmac-sha256' }))).toBe('invalid')
    expect(judge(signed({ alg: 'constructor' }))).toBe('invalid')
  })

  it('by a key that is not known is not called a forgery, unless something else is wrong', () => {
    expect(judge(signed({ key_id: 'K:9' }))).toBe('unknown_key')
    expect(judge({ ...signed({ key_id: 'K:9' }), body: Buffer.from('x') })).toBe('invalid')
  })

  it('counts from a minute before it was made until a minute after its end', () => {
    const at = (seconds: number) => judge(signed(), { now_ms: now_ms + seconds * 1000 })
    expect([-61, -60, 0, 120, 121].map(at)).toEqual([
      ...['out_of_time', 'valid', 'valid', 'valid', 'out_of_time'],
    ])
  })

  it('without an end lasts five minutes, and without a beginning it is none', () => {
    const open = signed({ params: `;keyid="K:1";created=${created}` })
    expect(judge(open, { now_ms: now_ms + 360_000 })).toBe('valid')
    expect(judge(open, { now_ms: now_ms + 361_000 })).toBe('out_of_time')
    expect(judge(signed({ params: `;keyid="K:1";expires=${created}` }))).toBe('invalid')
    expect(judge(signed({ params: `;keyid="K:1";created="${created}"` }))).toBe('invalid')
  })

  it('never throws, and by chance proves nothing', () => {
    const good = signed()
    const header = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant(''))
    fc.assert(
      fc.property(header, header, header, (input, signature, digest) => {
        const headers = {
          ...good.headers,
          'signature-input': `sig-pp=${input}`,
          signature: `sig-pp=:${signature}:`,
          'content-digest': digest,
        }
        expect(judge({ ...good, headers })).toBe('invalid')
      }),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const value = `sig-pp=:${Buffer.from(bytes).toString('base64')}:`
        expect(judge(withHeader(good, 'signature', value))).toBe('invalid')
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a digest', () => {
  const of = (name: string, hash: string) =>
    `${name}=:${createHash(hash).update(body).digest('base64')}:`
  const [short, long] = [of('sha-256', 'sha256'), of('sha-512', 'sha512')]
  it.each([
    [short, true],
    [long, true],
    [`${short}, ${long}`, true],
    [`md5=:AAAA:, ${short}`, true],
    [`${short}, sha-512=:AAAA:`, false],
    ['md5=:AAAA:', false],
    [short.replace('sha-256', 'sha-512'), false],
    [short.replaceAll(':', '"'), false],
    ['', false],
  ])('fits when each one of a known kind does: %s', (header, fits) => {
    expect(digestFits({ headers: { 'content-digest': header }, body })).toBe(fits)
    expect(digestFits({ headers: { 'content-digest': header }, body: Buffer.from('x') })).toBe(
      false,
    )
  })
})

describe('a dictionary', () => {
  const list = '("@method" "a";x "b";y=1);alg="e\\"c";keyid="K";n=-5;t=tok/en;b=:AQI=:;f=?0;g'
  it('is read and written alike', () => {
    const member = readDictionary(`s=${list}, u`)?.get('s')
    expect(member && 'items' in member && writeInnerList(member)).toBe(list)
    const loose = readDictionary('s=( "a"  "b" ); x=1;  y')?.get('s')
    expect(loose && 'items' in loose && writeInnerList(loose)).toBe('("a" "b");x=1;y')
  })

  it.each(['s=', 's=(', 's=("a"', 's=("a""b")', 'S=1', 's=1,', 's=1 t=2', 's=1.5', 's="é"', '=1'])(
    'of another form is not read: %s',
    (text) => expect(readDictionary(text)).toBeUndefined(),
  )

  it('costs no more than its length, however much of it is spaces', () => {
    const began = process.cpuUsage()
    for (let at = 0; at < 10; at += 1) {
      expect(readDictionary(`a${' '.repeat(15_000)}b`)).toBeUndefined()
    }
    const { user, system } = process.cpuUsage(began)
    // One such reading took 70.
    expect((user + system) / 1000).toBeLessThan(40)
  })

  it('may stand between spaces, and between nothing else', () => {
    expect(readDictionary('  a=1  ')?.size).toBe(1)
    expect(readDictionary('   ')?.size).toBe(0)
    expect(readDictionary('\ta=1')).toBeUndefined()
    expect(readDictionary('a=1\t')).toBeUndefined()
  })

  it('has one member of a name: the last', () => {
    const both = readDictionary('s=1, t, s=2')
    expect([...(both ?? [])].map(([name]) => name)).toEqual(['s', 't'])
    expect(both?.get('s')).toMatchObject({ bare: { is: 'integer', value: 2 } })
    expect(readDictionary('')?.size).toBe(0)
  })
})

describe('a request of ours', () => {
  const request = {
    ...{ method: 'POST', authority: 'api.pawapay.example', path: '/v2/deposits', query: '' },
    headers: { 'signature-date': '2024-05-02T13:45:51.000Z', 'content-type': 'application/json' },
    body,
  }
  const signers = [
    ['K:1', p256.privateKey],
    ['K:2', p384.privateKey],
    ['K:3', rsa.privateKey],
  ] as const
  const signed = (key_id: string, private_key: KeyObject): RequestSigned => {
    const signer = { label: 'sig-pp', key_id, private_key, covered: six, life_s: 60 }
    const headers = { ...request.headers, ...signRequest(request, signer, now_ms) }
    return { ...request, headers }
  }

  it.each(signers)('signed by %s proves itself for its minute', (key_id, private_key) => {
    expect(canSign(private_key)).toBe(true)
    const ours = signed(key_id, private_key)
    expect(verifyRequest(ours, rules)).toEqual({ is: 'valid', key_id })
    const later = { ...rules, now_ms: now_ms + 121_000 }
    expect(verifyRequest(ours, later)).toEqual({ is: 'out_of_time', key_id })
    expect(ours.headers['signature-input']).toMatch(
      /^sig-pp=\("@method" "@authority" "@path" "signature-date" "content-digest" "content-type"\);alg="[\w-]+";keyid="K:\d";created=1714657551;expires=1714657611$/,
    )
  })

  it.each(signers)('signed by %s proves nothing once it is another', (key_id, private_key) => {
    const ours = signed(key_id, private_key)
    const others: RequestSigned[] = [
      { ...ours, method: 'PUT' },
      { ...ours, authority: 'api.elsewhere.example' },
      { ...ours, path: '/v2/payouts' },
      { ...ours, body: Buffer.from('{"depositId":"another"}') },
      { ...ours, headers: { ...ours.headers, 'signature-date': '2024-05-02T13:45:52.000Z' } },
      { ...ours, headers: { ...ours.headers, 'content-type': 'text/plain' } },
    ]
    for (const other of others) expect(verifyRequest(other, rules).is).toBe('invalid')
    const unlike = { ...rules, public_key: () => generateKeyPairSync('ed25519').publicKey }
    expect(verifyRequest(ours, unlike).is).toBe('invalid')
  })

  it('is signed by no key of another kind', () => {
    expect(canSign(generateKeyPairSync('ed25519').privateKey)).toBe(false)
    expect(canSign(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey)).toBe(false)
  })
})
