// The envelope and the preference that takes it off or puts it on (contract 1.2).

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { as, boat_id, buildFixture, config } from '../../../test/setup/boat-routes.ts'
import { readEnvelopePreference } from './reply.ts'
import type { HttpServer } from './server.ts'

let on: HttpServer
let off: HttpServer
beforeAll(async () => {
  on = await buildFixture()
  off = await buildFixture({ config: { ...config, envelope: 'off' } })
})
afterAll(async () => {
  await on.close()
  await off.close()
})

const get = (server: HttpServer, path: string, prefer?: string) =>
  server.inject({
    url: `/api/v1${path}`,
    headers: { ...as('both'), ...(prefer === undefined ? {} : { prefer }) },
  })

const boat = { id: boat_id, name: 'Teranga' }

describe('the envelope', () => {
  it('stands around a payload, its status repeated', async () => {
    const reply = await get(on, `/boats/${boat_id}/`)
    expect(reply.body).toBe(`{"success":true,"data":${JSON.stringify(boat)},"code":200}`)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(reply.headers['preference-applied']).toBeUndefined()
  })

  it('is taken off payloads and errors by preference, and says so', async () => {
    const fine = await get(on, `/boats/${boat_id}/`, 'envelope=off')
    expect(fine.json()).toEqual(boat)
    expect(fine.headers).toMatchObject({ 'preference-applied': 'envelope=off', vary: 'Prefer' })
    const gone = await get(on, '/boats/x/', 'envelope=off')
    expect(gone.statusCode).toBe(404)
    expect(gone.json()).toEqual({ code: 'not_found', message: expect.any(String) })
    expect(gone.headers).toMatchObject({ 'preference-applied': 'envelope=off', vary: 'Prefer' })
  })

  it('is off by default where the server says so, and on by preference', async () => {
    expect((await get(off, `/boats/${boat_id}/`)).json()).toEqual(boat)
    expect((await get(off, '/nope/')).json()).toMatchObject({ code: 'not_found' })
    const enveloped = await get(off, `/boats/${boat_id}/`, 'envelope=on')
    expect(enveloped.json()).toEqual({ success: true, data: boat, code: 200 })
    expect(enveloped.headers['preference-applied']).toBe('envelope=on')
  })

  it('leaves a raw route raw unless asked for', async () => {
    expect((await get(on, '/woods/')).body).toBe('["KAPOK"]')
    const enveloped = await get(on, '/woods/', 'Envelope=ON')
    expect(enveloped.json()).toEqual({ success: true, data: ['KAPOK'], code: 200 })
    expect(enveloped.headers).toMatchObject({ 'preference-applied': 'envelope=on', vary: 'Prefer' })
  })

  it('is not around files and empty answers', async () => {
    const file = await get(on, '/boats/export/', 'envelope=on')
    expect(file.body).toBe('id,name\n')
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(file.headers['content-disposition']).toBe('attachment; filename="boats.csv"')
    expect(file.headers['preference-applied']).toBeUndefined()
    const url = `/api/v1/boats/${boat_id}/`
    const gone = await on.inject({ method: 'DELETE', url, headers: as('both') })
    expect([gone.statusCode, gone.body]).toEqual([204, ''])
  })
})

describe('a preference', () => {
  it.each([
    ['envelope=off', 'off'],
    ['ENVELOPE = "On"', 'on'],
    ['respond-async, wait=10, envelope=off; x=1', 'off'],
    ['envelope=off, envelope=on', 'off'],
    ['envelope=maybe', undefined],
    ['envelope', undefined],
    ['my-envelope=off', undefined],
    ['', undefined],
  ] as const)('is read from "%s" as %s', (prefer, expected) => {
    expect(readEnvelopePreference(prefer)).toBe(expected)
  })

  it('never fails to be read', () => {
    fc.assert(
      fc.property(fc.string(), (prefer) => {
        expect(['on', 'off', undefined]).toContain(readEnvelopePreference(prefer))
      }),
    )
  })
})
