// A self-signed certificate made on the spot, for tests of TLS: no key is in the repository and no
// tool is needed. Only as much of DER (X.690) and X.509 as one certificate takes.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

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
const subjectAltName = oid('551d11')
const basicConstraints = oid('551d13')

const name = (text: string) => sequence(set(sequence(commonName, der(0x0c, Buffer.from(text)))))

function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '') // YYYYMMDDHHMMSSZ
  return der(0x18, Buffer.from(text))
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
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const around_ms = days * 86_400_000
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)])
  const extensions = sequence(
    sequence(subjectAltName, octets(sequence(der(0x82, Buffer.from(host))))),
    sequence(basicConstraints, boolTrue, octets(sequence(boolTrue))),
  )
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, serial),
    ecdsaWithSha256,
    name(host),
    sequence(time(new Date(then - around_ms)), time(new Date(then + around_ms))),
    name(host),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const certificate = sequence(content, ecdsaWithSha256, bits(sign('sha256', content, privateKey)))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}
