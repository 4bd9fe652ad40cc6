// A self-signed certificate made on the spot, for tests of TLS: no key is in the repository and no
// tool is needed. Only as much of DER (X.690) and X.509 as one certificate takes.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  const size = length < 128 ? [length] : long
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const set = (...parts: Buffer[]) => der(0x31, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content)
const octets = (content: Buffer) => der(0x04, content)
const boolTrue = der(0x01, Buffer.from([0xff]))

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const commonName = oid('550403')
const organization = oid('55040a')
const subjectAltName = oid('551d11')
const basicConstraints = oid('551d13')

const part = (kind: Buffer, text: string) => set(sequence(kind, der(0x0c, Buffer.from(text))))

/** `R1 (Some Authority)`: what is in parentheses is the organization. */
function name(text: string): Buffer {
  const [, own = text, owner] = /^(.+) \((.+)\)$/.exec(text) ?? []
  const named = part(commonName, own)
  return owner === undefined ? sequence(named) : sequence(part(organization, owner), named)
}

function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '') // YYYYMMDDHHMMSSZ
  return der(0x18, Buffer.from(text))
}

type Certified = Readonly<{ key: string; cert: string; private_key: KeyObject }>

type Wanted = Readonly<{
  /** A DNS name, or that of an authority. */
  subject: string
  /** Absent: it issues itself. */
  issuer?: Readonly<{ subject: string; private_key: KeyObject }>
  is_authority: boolean
  around_ms: number
  days: number
}>

function certify({ subject, issuer, is_authority, around_ms, days }: Wanted): Certified {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const half_ms = days * 86_400_000
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)])
  const constraints = is_authority ? sequence(boolTrue) : sequence()
  const extensions = sequence(
    sequence(subjectAltName, octets(sequence(der(0x82, Buffer.from(subject))))),
    sequence(basicConstraints, boolTrue, octets(constraints)),
  )
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, serial),
    ecdsaWithSha256,
    name(issuer?.subject ?? subject),
    sequence(time(new Date(around_ms - half_ms)), time(new Date(around_ms + half_ms))),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = sign('sha256', content, issuer?.private_key ?? privateKey)
  const certificate = sequence(content, ecdsaWithSha256, bits(signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    private_key: privateKey,
  }
}

/**
 * Key and certificate (PEM) of one DNS name, good for a day (or so many) before and after then;
 * trust it by `ca: cert`.
 */
export function makeCertificate(
  host: string,
  then = Date.now(),
  days = 1,
): { key: string; cert: string } {
  const { key, cert } = certify({ subject: host, is_authority: true, around_ms: then, days })
  return { key, cert }
}

/** The same by an intermediate authority under a root, which alone is trusted (`ca: root`). */
export function makeChain(
  host: string,
  { middle, root }: Readonly<{ middle: string; root: string }>,
  days = 1,
): Readonly<{ key: string; cert: string; middle: string; root: string }> {
  const common = { around_ms: Date.now(), days }
  const top = certify({ subject: root, is_authority: true, ...common })
  const between = certify({
    ...{ subject: middle, issuer: { subject: root, ...top }, is_authority: true },
    ...common,
  })
  const issuer = { subject: middle, private_key: between.private_key }
  const { key, cert } = certify({ subject: host, issuer, is_authority: false, ...common })
  return { key, cert, middle: between.cert, root: top.cert }
}
