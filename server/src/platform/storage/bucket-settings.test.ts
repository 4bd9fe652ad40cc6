// The bucket's settings: all of them or none, one line for each mistake, and no secret in any.

import { describe, expect, it } from 'vitest'
import { readConfig } from '../../app/config.ts'

const whole = {
  S3_ENDPOINT: 'https://s3.example.com/',
  S3_BUCKET: 'pirogue-files',
  S3_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  S3_SECRET_ACCESS_KEY: 'a secret nobody reads',
}

function read(env: Record<string, string>) {
  const reading = readConfig(env)
  return reading.is === 'config' ? reading.config.bucket : reading.lines
}

describe('the bucket', () => {
  it('is none by default', () => {
    expect(read({})).toBeNull()
    expect(read({ S3_ENDPOINT: '', S3_REGION: ' ' })).toBeNull()
  })

  it('is read whole; the region has a default', () => {
    const keys = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'a secret nobody reads' }
    const bucket = { endpoint: 'https://s3.example.com', bucket: 'pirogue-files', ...keys }
    expect(read(whole)).toEqual({ ...bucket, region: 'us-east-1' })
    expect(read({ ...whole, S3_REGION: 'eu-west-3' })).toEqual({ ...bucket, region: 'eu-west-3' })
  })

  it.each(Object.keys(whole))('without %s is one mistake', (name) => {
    const reason = 'expected a value, because another setting of the bucket is there.'
    expect(read({ ...whole, [name]: '' })).toEqual([`${name}: read nothing, ${reason}`])
  })

  it('with a region alone names all that is missing', () => {
    const lines = read({ S3_REGION: 'eu-west-3' })
    expect(Array.isArray(lines) && lines.map((line) => line.split(':')[0])).toEqual(
      Object.keys(whole),
    )
  })

  it.each([
    ['S3_ENDPOINT', 'ftp://s3.example.com'],
    ['S3_ENDPOINT', 'https://s3.example.com/?a=1'],
    ['S3_BUCKET', 'UPPER'],
    ['S3_BUCKET', 'a/b'],
    ['S3_REGION', 'eu west'],
  ])('%s: %s is one mistake', (name, value) => {
    const lines = read({ ...whole, [name]: value })
    expect(lines).toEqual([expect.stringContaining(`${name}: read "${value}"`)])
  })

  it('shows neither the secret nor a password in the address', () => {
    const wrong = { ...whole, S3_BUCKET: '', S3_ENDPOINT: 'https://me:pw12@s3.example.com' }
    const text = JSON.stringify(read(wrong))
    expect(text).toContain('S3_ENDPOINT')
    expect(text).not.toContain('a secret nobody reads')
    expect(text).not.toContain('AKIDEXAMPLE')
    expect(text).not.toContain('pw12')
  })
})
