// Signatures over HTTP requests (RFC 9421), and the digest of the body that they cover (RFC 9530).
// Law: what is signed is rebuilt from what came, never taken from it; a signature proves something
// for its own time only. Reading never throws.

import { createHash, type KeyObject, constants as keyUse, sign, verify } from 'node:crypto'
import { assert } from '../errors.ts'
import {
  type Bare,
  type InnerList,
  type Item,
  readDictionary,
  writeInnerList,
  writeItem,
} from './structured-fields.ts'

export type RequestSigned = Readonly<{
  method: string
  /** Our own host as it is configured, with its port where that is not the usual one. */
  authority: string
  /** Without the query. */
  path: string
  query: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: Buffer
}>

export type SignatureRules = Readonly<{
  /** The name of the signature among those of the request. */
  label: string
  /** It must cover at least these. */
  required: readonly string[]
  /** Headers that it may cover: those that are kept, so that it can be judged again. */
  headers: readonly string[]
  public_key: (key_id: string) => KeyObject | undefined
  /** Milliseconds since 1970. */
  now_ms: number
  /** How far two clocks may be apart. Seconds. */
  skew_s: number
}>

export type Verdict =
  | Readonly<{ is: 'valid'; key_id: string }>
  /** Theirs, but not of now. */
  | Readonly<{ is: 'out_of_time'; key_id: string }>
  /** Of the right form, by a key that is not known (yet). */
  | Readonly<{ is: 'unknown_key'; key_id: string }>
  | Readonly<{ is: 'invalid'; because: string }>

/** Where the signer names no end of its own. Seconds. */
const life_s = 300

const invalid = (because: string): Verdict => ({ is: 'invalid', because })

export function verifyRequest(request: RequestSigned, rules: SignatureRules): Verdict {
  const input = entryOf(request, 'signature-input', rules.label)
  const given = entryOf(request, 'signature', rules.label)
  if (input === undefined || !('items' in input)) return invalid('no list of what is signed')
  if (given === undefined || 'items' in given || given.bare.is !== 'bytes') {
    return invalid('no signature')
  }
  const base = signatureBase(request, input, rules)
  if (base === undefined) return invalid('not covered, or of no known form')
  if (!digestFits(request)) return invalid('another body')
  const params = paramsOf(input)
  if (params === undefined) return invalid('no key or time')
  const { key_id } = params
  const key = rules.public_key(key_id)
  if (key === undefined) return { is: 'unknown_key', key_id }
  const isTheirs = isSignedBy(key, params.algorithm, { base, signature: given.bare.bytes })
  if (!isTheirs) return invalid('another signature')
  const now_s = rules.now_ms / 1000
  const isNow = params.created_s <= now_s + rules.skew_s && now_s <= params.expires_s + rules.skew_s
  return { is: isNow ? 'valid' : 'out_of_time', key_id }
}

const entryOf = ({ headers }: RequestSigned, name: string, label: string) =>
  readDictionary(headers[name] ?? '')?.get(label)

type SignatureParams = Readonly<{
  key_id: string
  created_s: number
  expires_s: number
  algorithm: string | undefined
}>

function paramsOf({ params }: InnerList): SignatureParams | undefined {
  const [key, created] = [params.get('keyid'), params.get('created')]
  const [expires, algorithm] = [params.get('expires'), params.get('alg')]
  if (key?.is !== 'string' || created?.is !== 'integer') return undefined
  if (expires !== undefined && expires.is !== 'integer') return undefined
  if (algorithm !== undefined && algorithm.is !== 'string') return undefined
  return {
    key_id: key.text,
    created_s: created.value,
    expires_s: Math.min(expires?.value ?? Number.POSITIVE_INFINITY, created.value + life_s),
    algorithm: algorithm?.text,
  }
}

/** The text that was signed; undefined where something in it is missing, double or not known. */
function signatureBase(
  request: RequestSigned,
  input: InnerList,
  { required, headers }: Pick<SignatureRules, 'required' | 'headers'>,
): string | undefined {
  const names = input.items.map(nameOf)
  if (new Set(names).size !== names.length) return undefined
  if (!required.every((name) => names.includes(name))) return undefined
  const lines = input.items.map((item) => {
    const value = componentOf(request, nameOf(item), headers)
    return value === undefined ? undefined : `${writeItem(item)}: ${value}`
  })
  if (lines.includes(undefined)) return undefined
  return [...lines, `"@signature-params": ${writeInnerList(input)}`].join('\n')
}

/** Empty for a component with parameters: it is something else than what its name says. */
const nameOf = ({ bare, params }: Item): string =>
  bare.is === 'string' && params.size === 0 ? bare.text : ''

function componentOf(
  request: RequestSigned,
  name: string,
  headers: readonly string[],
): string | undefined {
  switch (name) {
    case '@method':
      return request.method.toUpperCase()
    case '@authority':
      return request.authority.toLowerCase()
    case '@path':
      return request.path === '' ? '/' : request.path
    case '@query':
      return `?${request.query}`
    default:
      return headers.includes(name) ? request.headers[name]?.trim() : undefined
  }
}

const digests: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-512': 'sha512' }

/** Each digest of a known kind fits the body, and there is at least one. */
export function digestFits({ headers, body }: Pick<RequestSigned, 'headers' | 'body'>): boolean {
  const given = readDictionary(headers['content-digest'] ?? '') ?? new Map<string, Item>()
  const known = [...given].filter(([name]) => Object.hasOwn(digests, name))
  return (
    known.length > 0 &&
    known.every(([name, member]) => {
      if ('items' in member || member.bare.is !== 'bytes') return false
      const digest = createHash(digests[name] ?? '')
        .update(body)
        .digest()
      return digest.equals(member.bare.bytes)
    })
  )
}

type Curve = Readonly<{ curve: string; hash: string; raw_bytes: number }>

const curves: Readonly<Record<string, Curve>> = {
  'ecdsa-p256-sha256': { curve: 'prime256v1', hash: 'sha256', raw_bytes: 64 },
  'ecdsa-p384-sha384': { curve: 'secp384r1', hash: 'sha384', raw_bytes: 96 },
}

type Given = Readonly<{ base: string; signature: Buffer }>

/** Where no algorithm is named, the key's own; a key is used in one way only. */
function isSignedBy(key: KeyObject, algorithm: string | undefined, given: Given): boolean {
  const named = algorithm ?? usualOf(key)
  const curve = Object.hasOwn(curves, named) ? curves[named] : undefined
  try {
    if (curve !== undefined) return isSignedOnCurve(key, curve, given)
    return named.startsWith('rsa-') && isSignedByRsa(key, named, given)
  } catch {
    // A key or signature that the library does not even take.
    return false
  }
}

const usualOf = ({ asymmetricKeyType, asymmetricKeyDetails: details }: KeyObject): string => {
  if (asymmetricKeyType !== 'ec') return 'rsa-pss-sha512'
  const found = Object.entries(curves).find(([, { curve }]) => curve === details?.namedCurve)
  return found?.[0] ?? ''
}

/** Raw (r and s, as the standard has it) or DER, as some write it: each fails as the other. */
function isSignedOnCurve(key: KeyObject, { curve, hash, raw_bytes }: Curve, given: Given) {
  if (key.asymmetricKeyDetails?.namedCurve !== curve) return false
  const fits = (dsaEncoding: 'ieee-p1363' | 'der') =>
    verify(hash, Buffer.from(given.base), { key, dsaEncoding }, given.signature)
  return (given.signature.length === raw_bytes && fits('ieee-p1363')) || fits('der')
}

function isSignedByRsa(key: KeyObject, algorithm: string, { base, signature }: Given): boolean {
  if (!(key.asymmetricKeyType ?? '').startsWith('rsa')) return false
  const data = Buffer.from(base)
  if (algorithm === 'rsa-v1_5-sha256') return verify('sha256', data, key, signature)
  if (algorithm !== 'rsa-pss-sha512') return false
  const padding = keyUse.RSA_PKCS1_PSS_PADDING
  return verify('sha512', data, { key, padding, saltLength: 64 }, signature)
}

export type Signer = Readonly<{
  label: string
  key_id: string
  /** Of RSA, or on one of the curves above. */
  private_key: KeyObject
  /** What is covered, in its order. */
  covered: readonly string[]
  /** For how long it is good. Seconds. */
  life_s: number
}>

/**
 * The headers that sign a request beside those that it has. A signature on a curve is DER, as who
 * takes ours writes its own.
 */
export function signRequest(
  request: RequestSigned,
  { label, key_id, private_key, covered, life_s: lasts_s }: Signer,
  now_ms: number,
): Record<string, string> {
  const digest = createHash('sha512').update(request.body).digest('base64')
  const own = { 'content-digest': `sha-512=:${digest}:` }
  const headers: Record<string, string> = { ...request.headers, ...own }
  const [created, algorithm] = [Math.floor(now_ms / 1000), usualOf(private_key)]
  const params = new Map<string, Bare>([
    ['alg', { is: 'string', text: algorithm }],
    ['keyid', { is: 'string', text: key_id }],
    ['created', { is: 'integer', value: created }],
    ['expires', { is: 'integer', value: created + lasts_s }],
  ])
  const items = covered.map((text): Item => ({ bare: { is: 'string', text }, params: new Map() }))
  const rules = { required: covered, headers: Object.keys(headers) }
  const base = signatureBase({ ...request, headers }, { items, params }, rules)
  assert(base !== undefined, 'all that is covered is there')
  const signature = signBase(private_key, algorithm, base).toString('base64')
  return {
    ...own,
    'signature-input': `${label}=${writeInnerList({ items, params })}`,
    signature: `${label}=:${signature}:`,
  }
}

function signBase(key: KeyObject, algorithm: string, base: string): Buffer {
  const data = Buffer.from(base)
  const curve = Object.hasOwn(curves, algorithm) ? curves[algorithm] : undefined
  if (curve !== undefined) return sign(curve.hash, data, { key, dsaEncoding: 'der' })
  return sign('sha512', data, { key, padding: keyUse.RSA_PKCS1_PSS_PADDING, saltLength: 64 })
}

/** Bits: a signature with so long a salt does not fit into a shorter one. */
const rsa_bits_min = 2048

/** Whether it can sign in one of these ways. */
export const canSign = (key: KeyObject): boolean =>
  key.asymmetricKeyType === 'rsa'
    ? (key.asymmetricKeyDetails?.modulusLength ?? 0) >= rsa_bits_min
    : Object.hasOwn(curves, usualOf(key))
