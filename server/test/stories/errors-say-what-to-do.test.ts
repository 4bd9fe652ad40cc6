// An error helps whoever made it (contract 8.21): how a key is sent, which scope would do, how a
// country and a currency are written, which networks a country has; and the interface describes
// itself where people look for it, with what each webhook carries.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formats } from '../../src/platform/http/formats.ts'
import { type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
})
afterAll(() => app?.stop())

async function withHeader(authorization: string, language = 'en'): Promise<Json> {
  const headers = { authorization, 'accept-language': language }
  const reply = await fetch(`${app.url}/api/v1/networks/`, { headers })
  const body: Json = await reply.json()
  return { status: reply.status, ...body.error }
}

describe('a key without Bearer', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  it('is told so, by itself or as the user name of Basic', async () => {
    const { key } = shop
    for (const authorization of [key, ` ${key} `, `Token ${key}`, basic(`${key}:`), basic(key)]) {
      const { status, code, message } = await withHeader(authorization)
      expect([status, code], authorization).toEqual([401, 'invalid_api_key'])
      expect(message).toMatch(/Put "Bearer " before the key/)
      expect(message).not.toContain(key)
    }
    expect((await withHeader(key, 'fr')).message).toMatch(/Bearer/)
  })

  it('is not what another wrong header is', async () => {
    for (const authorization of ['Bearer sk_test_wrong', 'x', basic('awa:secret')]) {
      const { status, code, message } = await withHeader(authorization)
      expect([status, code]).toEqual([401, 'invalid_api_key'])
      expect(message).not.toContain('Put "Bearer "')
    }
  })
})

describe('no key', () => {
  it('is missing, not wrong, also where the header is there and empty', async () => {
    for (const authorization of ['', ' ', 'Bearer', 'Bearer ', 'bearer   ']) {
      const { status, code, message } = await withHeader(authorization)
      expect([status, code], `"${authorization}"`).toEqual([401, 'not_authenticated'])
      expect(message).toMatch(/Send your secret key/)
    }
  })
})

describe('a wrong key', () => {
  it('is named by its beginning and its environment, and by no more of it', async () => {
    const wrong = shop.key.replace(/.$/, shop.key.endsWith('A') ? 'B' : 'A')
    const { message } = await withHeader(`Bearer ${wrong}`)
    expect(message).toContain(`(${wrong.slice(0, 12)}…, SANDBOX)`)
    expect(message).not.toContain(wrong.slice(0, 14))
    const dashed = `sk_test_zu9-${wrong.slice(12)}`
    expect((await withHeader(`Bearer ${dashed}`)).message).toContain('(sk_test_zu9-…, SANDBOX)')
    const live = await withHeader(`Bearer ${shop.key.replace('sk_test_', 'sk_live_')}`, 'fr')
    expect(live.message).toContain('…, LIVE)')
  })

  it('that is none is told how one begins', async () => {
    const { message } = await withHeader('Bearer sk_wrong')
    expect(message).toMatch(/begins with sk_test_ \(sandbox\) or sk_live_/)
  })
})

describe('a mistyped address', () => {
  const messageAt = async (path: string, language = 'en') => {
    const reply = await fetch(app.url + path, { headers: { 'accept-language': language } })
    const body: Json = await reply.json()
    expect([reply.status, body.error.code], path).toEqual([404, 'not_found'])
    return body.error.message
  }

  it.each([
    ['/api/v1/payment/softpay/initialize/', '/api/v1/payments/softpay/initialize/'],
    ['/payments/softpay/initialize/', '/api/v1/payments/softpay/initialize/'],
    ['/api/v1/Networks', '/api/v1/networks/'],
    ['/api/v1/transaction/TXN-20261122-AAAAAAAAAA', '/api/v1/transactions/{id}/'],
  ])('%s is told of %s', async (path, meant) => {
    expect(await messageAt(path)).toBe(`Nothing was found at this address. Did you mean ${meant}?`)
    expect(await messageAt(path, 'fr')).toContain(`Vouliez-vous dire ${meant} ?`)
  })

  it.each(['/', '/api', '/api/v1', '/api/v1/', '/charges'])(
    '%s is told where the API begins',
    async (path) => {
      expect(await messageAt(path)).toContain('The API begins at /api/v1/; see /docs.')
    },
  )

  it.each(['/api/v1/charges/', `/api/v1/${'a'.repeat(200)}/`, `/api/v1/${'a/'.repeat(100)}`])(
    'that is like none is told nothing that is not so: %s',
    async (path) => {
      expect(await messageAt(path)).toBe(
        'Nothing was found at this address. Check the path and the identifier.',
      )
    },
  )
})

it('a wrong scope is told the one that it needs', async () => {
  const payout = await app.shop({ scope: 'PAYOUT' })
  const refused = await payout.pay()
  expect([refused.status, refused.error.code]).toEqual([403, 'api_key_scope_forbidden'])
  expect(refused.error.message).toBe(
    'The scope of this API key is PAYOUT; this call needs PAYIN or BOTH.',
  )
  const payin = await app.shop({ scope: 'PAYIN' })
  const other = await payin.post('/payouts/initialize/', {}, { 'accept-language': 'fr' })
  expect(other.error.message).toContain('exige PAYOUT ou BOTH')
})

describe('a wrong code', () => {
  const payout = (changes: Record<string, unknown>) =>
    shop.post('/payouts/initialize/', {
      ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      ...{ recipient: { msisdn: newPayer().phone }, ...changes },
    })

  it.each(['Benin', 'BEN', 'B'])('%s of a country names the right form', async (country) => {
    const { status, error } = await shop.pay({ country })
    expect([status, Object.keys(error)]).toEqual([400, ['country']])
    expect(error.country).toEqual([expect.stringContaining('BJ')])
  })

  it.each(['ZZ', 'XX'])('%s, that no country has, names it too', async (country) => {
    const { status, error } = await shop.pay({ country })
    expect([status, error.code]).toEqual([422, 'invalid_country'])
    expect(error.message).toContain('BJ')
  })

  it.each(['FCFA', 'CFA', 'F', 'ZZZ'])('%s of a currency names XOF', async (currency) => {
    const { status, error } = await shop.pay({ currency })
    expect([status, Object.keys(error)]).toEqual([400, ['currency']])
    expect(error.currency).toEqual([expect.stringMatching(/XOF.*XAF/)])
    const french = await shop.pay({ currency }, { 'accept-language': 'fr' })
    expect(french.error.currency[0]).toMatch(/XOF.*XAF/)
  })

  it.each(['abc', '+22890112233', '12'])(
    '%s of a number names its field and a number',
    async (phone) => {
      const wrong = { code: 'invalid_customer', example: '+2290195123456' }
      const paid = await shop.pay({ customer: { ...newPayer(), phone } })
      expect([paid.status, paid.error]).toEqual([
        422,
        {
          ...wrong,
          field: 'customer.phone',
          message:
            'This is not a mobile number in BJ. Send one such as 01 95 12 34 56 or +2290195123456.',
        },
      ])
      const sent = await payout({ recipient: { msisdn: phone } })
      expect([sent.status, sent.error]).toMatchObject([
        422,
        { ...wrong, field: 'recipient.msisdn' },
      ])
      const named = await payout({ customer: { phone } })
      expect([named.status, named.error]).toMatchObject([
        422,
        { ...wrong, field: 'customer.phone' },
      ])
      const top_up = { amount: '1000', currency: 'XOF', country: 'BJ', network: 'mtn_bj', phone }
      const topped = await shop.post('/top-ups/initialize/', top_up)
      expect([topped.status, topped.error]).toMatchObject([422, { ...wrong, field: 'phone' }])
      const query = `kind=PAYIN&currency=XOF&country=BJ&network=mtn_bj&amount=1000&msisdn=${encodeURIComponent(phone)}`
      const quoted = await shop.get(`/quotes/?${query}`)
      expect([quoted.status, quoted.error]).toMatchObject([422, { ...wrong, field: 'msisdn' }])
    },
  )

  it('of a customer’s number names its field, and a number where the country is known', async () => {
    const there = await shop.post('/customers/', { phone: '12', country: 'BJ' })
    expect([there.status, there.error]).toMatchObject([
      422,
      { code: 'invalid_customer', field: 'phone', example: '+2290195123456' },
    ])
    const anywhere = await shop.post('/customers/', { phone: '+12' })
    expect([anywhere.status, anywhere.error]).toEqual([
      422,
      {
        code: 'invalid_customer',
        field: 'phone',
        message: 'This is not a valid phone number. Send it with + and its country code.',
      },
    ])
  })

  it.each([
    ['mtn', 'mtn_bj'],
    ['MTN', 'mtn_bj'],
    ['mov_bj', 'moov_bj'],
    ['moov_ci', 'moov_bj'],
    ['celtis', 'celtiis_bj'],
    ['MTN MoMo Bénin', 'mtn_bj'],
    ['momo', 'mtn_bj'],
  ])('%s of a network names those of the country, and %s as the nearest', async (code, nearest) => {
    const { status, error } = await shop.pay({ network: code })
    expect([status, error.code]).toEqual([422, 'invalid_method'])
    expect(error).toMatchObject({ accepted: ['celtiis_bj', 'moov_bj', 'mtn_bj'], nearest })
    expect(error.message).toContain('celtiis_bj, moov_bj, mtn_bj')
    expect(error.message).toContain(`Did you mean ${nearest}?`)
  })

  it('that is like none of them guesses nothing in its sentence', async () => {
    const { error } = await shop.pay({ network: 'zzzzzzzz' })
    expect(error.message).toBe(
      'This network is not available in BJ: use celtiis_bj, moov_bj, mtn_bj.',
    )
  })

  it('of a settlement’s country names the form', async () => {
    const body = { country: 'BEN', requested_amount: '1000', payout_method: shop.merchant_id }
    const { status, error } = await shop.post('/settlements/', body)
    expect([status, error.country[0]]).toEqual([400, expect.stringContaining('such as BJ')])
  })

  it('of a payout method names them too', async () => {
    const member = await app.member()
    const body = { country: 'BJ', type: 'MOBILE_MONEY', network: 'mtn', msisdn: '+2290197000010' }
    const { status, error } = await member.post('/merchant-payout-methods/', body)
    expect([status, error.code, error.nearest]).toEqual([422, 'invalid_method', 'mtn_bj'])
    expect(error.accepted).toEqual(['celtiis_bj', 'moov_bj', 'mtn_bj'])
  })

  it('of a payout’s method does so as well', async () => {
    const { status, error } = await payout({ method: 'momo_bj' })
    expect([status, error.code]).toEqual([422, 'invalid_method'])
    expect(error.accepted).toContain('mtn_bj')
  })
})

describe('the description of the interface', () => {
  it('answers at the root as under /api/v1', async () => {
    const [root, below] = await Promise.all([
      fetch(`${app.url}/openapi.json`),
      fetch(`${app.url}/api/v1/openapi.json`),
    ])
    expect(root.status).toBe(200)
    expect(root.headers.get('content-type')).toContain('application/json')
    expect(await root.json()).toEqual(await below.json())
  })

  it('types what each webhook carries, as the catalogue of events shows it', async () => {
    const document: Json = await (await fetch(`${app.url}/openapi.json`)).json()
    const { data } = await shop.get('/merchant-webhook-events/?page_size=100')
    const names = data.results.map((one: Json) => one.event_type)
    expect(Object.keys(document.webhooks).sort()).toEqual(names.toSorted())
    const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
    ajv.addSchema({ $id: 'document', ...document })
    for (const { event_type, example } of data.results) {
      const { schema, example: whole } =
        document.webhooks[event_type].post.requestBody.content['application/json']
      expect(schema.properties.event.const).toBe(event_type)
      expect(schema.properties.data.$ref, event_type).toMatch(/^#\/components\/schemas\/\w+Data$/)
      const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
      const fits = ajv.compile(local)
      expect(fits(whole), `${event_type} ${JSON.stringify(fits.errors)}`).toBe(true)
      expect(whole.data).toEqual(example)
    }
  })
})
