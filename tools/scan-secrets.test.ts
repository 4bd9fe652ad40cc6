// The secret scan: each kind is planted and found, the documentation's examples pass, and what was
// found is never shown.

import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const tool = fileURLToPath(new URL('./scan-secrets.mjs', import.meta.url))
let root: string

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'pirogue-scan-'))
  execFileSync('git', ['init', '-q'], { cwd: root })
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function scan(text: string) {
  await writeFile(path.join(root, 'file.md'), text)
  const { status, stderr } = spawnSync(process.execPath, [tool, root], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, said: stderr }
}

const random = randomBytes(32)
const plain = random.toString('hex').slice(0, 36)
const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })

describe('the secret scan', () => {
  it.each([
    ['a private key', String(pem)],
    ['an API key of ours', `sk_live_${random.toString('base64url')}`],
    ['a session of ours', `sess_${random.toString('base64url')}`],
    ['a webhook secret of ours', `whsec_${random.toString('base64')}`],
    ['a SECRET_KEY', `SECRET_KEY=${random.toString('base64')}`],
    ['a cloud key', `AKIA${plain.toUpperCase().slice(0, 16)}`],
    ['a token of a code host', `ghp_${plain}`],
    ['a token of a package registry', `npm_${plain}`],
    ['a token of a chat', `xoxb-${plain}`],
    ['a password in an address', `postgres://app:${plain}@db.example.com/x`],
  ])('finds %s on its line, and does not show it', async (kind, secret) => {
    const { status, said } = await scan(`one line\n${secret}\n`)
    expect(status).toBe(1)
    expect(said).toMatch(new RegExp(`^file.md:2: ${kind}\\.`, 'm'))
    expect(said).not.toContain(secret.slice(-20))
  })

  it('lets look-alikes pass', async () => {
    const innocent = [
      'sk_test_…',
      'sk_live_short',
      'SECRET_KEY=$(openssl rand -base64 32)',
      'postgres://user:password@host:port/database',
      'https://pay.example.com:8443/path@x',
      '-----BEGIN PUBLIC KEY-----',
    ]
    expect(await scan(innocent.join('\n'))).toEqual({ status: 0, said: '' })
  })

  it('finds nothing in this repository', () => {
    const here = fileURLToPath(new URL('..', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [tool, here], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})
