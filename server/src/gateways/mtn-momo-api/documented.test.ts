// This adapter alone, without the dialect, over what its operator documents
// (simulator/test/documents/mtn.ts): every status and reason is named or unknown, in either form of
// a reason, every refusal is read by its code, and nothing throws.

import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { faultsIn } from '../../../../simulator/test/documents/held.ts'
import {
  definedCodes,
  seenCodes,
  shown,
  statuses,
  writtenCodes,
} from '../../../../simulator/test/documents/mtn.ts'
import { answeringWith, type Given } from '../../../../simulator/test/documents/wire.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import type { Account } from '../adapter.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, Direction, GatewayOrder } from '../gateway.ts'
import { memoryTokens } from '../tokens.ts'
import { mtnGateway } from './mtn-gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

const secrets = Object.fromEntries(
  ['collection', 'disbursement'].flatMap((product) => [
    [`${product}_subscription_key`, randomBytes(16).toString('hex')],
    [`${product}_api_user`, randomUUID()],
    [`${product}_api_key`, randomBytes(16).toString('hex')],
  ]),
)
const token = { access_token: 'e30.e30.c2ln', token_type: 'access_token', expires_in: 3600 }
const balance = { availableBalance: '200000', currency: 'EUR' }

/** Its tokens and balances as its samples have them; of anything else, what a test gives. */
async function openOver(
  answer: (path: string) => Given,
  more: Readonly<Record<string, string>> = {},
) {
  const notes: string[] = []
  const base_url = await answeringWith((_, path) => {
    if (path.endsWith('/token/')) return { body: token }
    return path.endsWith('/account/balance') ? { body: balance } : answer(path)
  })
  const account: Account = {
    ...{ id: randomUUID(), code: 'mtn_test', environment: 'SANDBOX', country: 'BJ', secrets },
    settings: { base_url, target_environment: 'sandbox', wire_currency: 'EUR', ...more },
  }
  const gateway = mtnGateway(account, {
    ...{ outbound, clock: Date.now, note: (what: string) => void notes.push(what) },
    tokens: (obtain) => memoryTokens(obtain, Date.now),
  })
  return { gateway, notes }
}

const orderOf = (direction: Direction): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+22997000010', flow: 'push' },
  ...{ otp_kind: 'NONE', otp: undefined, description: '', callback_url: 'http://127.0.0.1:9/' },
  return_url: '',
})

const whoIn = { COLLECT: 'payer', DISBURSE: 'payee' } as const

/** As the operator's own samples have it, with the key of our attempt. */
const resultIn = (order: GatewayOrder, status: string, more: object = {}) => ({
  ...(status === 'SUCCESSFUL' ? { financialTransactionId: '1806336820' } : {}),
  ...{ externalId: order.our_key, amount: '5000', currency: 'EUR' },
  [whoIn[order.direction]]: { partyIdType: 'MSISDN', partyId: '22997000010' },
  ...{ payerMessage: 'Pay for product a', payeeNote: 'payer note', status, ...more },
})

/** In no table of ours: that it is there already is no reason why a payment failed. */
const noReasons = ['RESOURCE_ALREADY_EXIST']
/** They say that it is not there, beside the thing itself. */
const contradictions = ['RESOURCE_NOT_FOUND', 'TRANSACTION_NOT_FOUND']

describe.each(['COLLECT', 'DISBURSE'] as const)('%s', (direction) => {
  const order = orderOf(direction)

  it('is read in each of its three statuses, asked about and called back', async () => {
    let body: object = {}
    const { gateway, notes } = await openOver(() => ({ body }))
    const meant = { PENDING: 'waiting', SUCCESSFUL: 'confirmed', FAILED: 'refused' }
    for (const status of statuses) {
      const reason = status === 'FAILED' ? { reason: 'INTERNAL_PROCESSING_ERROR' } : {}
      body = resultIn(order, status, reason)
      expect(faultsIn(shown(whoIn[direction]), body), status).toEqual([])
      const { answer } = await gateway.query(order)
      expect(answer.is, status).toBe(meant[status])
      for (const method of ['PUT', 'POST']) {
        const called = receivedOf({ body: JSON.stringify(body), headers: {}, method }, Date.now())
        const reading = gateway.readCallback(called)
        expect(reading).toMatchObject({ proof: 'UNSIGNED', key: order.our_key })
      }
    }
    expect(notes).toEqual([])
  })

  it('is read from the sample that has numbers where texts are meant', async () => {
    const { gateway } = await openOver(() => ({
      body: {
        ...{ amount: 5_000, currency: 'EUR', financialTransactionId: 23_503_452 },
        [whoIn[direction]]: { partyIdType: 'MSISDN', partyId: 4_656_473_839 },
        ...{ externalId: 947_354, status: 'SUCCESSFUL' },
      },
    }))
    const confirmed = { is: 'confirmed', amount: 5_000_00n, external_reference: '23503452' }
    expect((await gateway.query(order)).answer).toMatchObject(confirmed)
  })

  it('that failed is named by every reason of its documents, in both forms', async () => {
    let body: object = {}
    const { gateway, notes } = await openOver(() => ({ body }))
    const read = async (reason: unknown): Promise<Answer> => {
      body = resultIn(order, 'FAILED', { reason })
      return (await gateway.query(order)).answer
    }
    for (const code of [...definedCodes, ...writtenCodes, ...seenCodes]) {
      const [asText, asObject] = [await read(code), await read({ code, message: 'As documented.' })]
      expect(asObject, code).toEqual(asText)
      if (contradictions.includes(code)) expect(asText.is, code).toBe('unknown')
      else expect(asText, code).toMatchObject({ is: 'refused' })
      // The operator's own word for any cause that has none.
      const isNamed = ![...contradictions, ...noReasons, 'INTERNAL_PROCESSING_ERROR'].includes(code)
      if (isNamed && asText.is === 'refused') expect(asText.failure_code, code).not.toBe('UNKNOWN')
    }
    const counted = [...contradictions, ...noReasons]
    expect(notes.filter((what) => !counted.some((code) => what.includes(code)))).toEqual([])
    expect(await read('SOME_NEW_REASON')).toMatchObject({ is: 'refused', failure_code: 'UNKNOWN' })
    expect(notes.at(-1)).toContain('SOME_NEW_REASON')
  })

  it('is taken, taken before, refused or unknown by what a create is answered with', async () => {
    let given: Given = { body: '' }
    const { gateway } = await openOver(() => given)
    const send = async (status: number, body: unknown): Promise<Answer> => {
      given = { status, body }
      return (await (direction === 'COLLECT' ? gateway.collect(order) : gateway.pay(order))).answer
    }
    expect((await send(202, '')).is).toBe('waiting')
    // Asked about, and shown as nothing that can be read.
    expect((await send(409, { code: 'RESOURCE_ALREADY_EXIST', message: 'Duplicated.' })).is).toBe(
      'unknown',
    )
    // Of 400 and 403 no body is documented: with one, or without, they come before the wallets.
    for (const status of [400, 403]) {
      for (const body of ['', { statusCode: status, message: 'Bad request' }]) {
        expect(await send(status, body)).toMatchObject({ is: 'refused', by: 'gateway' })
      }
    }
    for (const status of [500, 503]) {
      for (const code of [...definedCodes, ...writtenCodes]) {
        expect((await send(status, { code, message: '' })).is, code).toBe('unknown')
      }
    }
  })

  it('that is not found is so by its code alone', async () => {
    let given: Given = { body: '' }
    const { gateway } = await openOver(() => given)
    given = { status: 404, body: { code: 'RESOURCE_NOT_FOUND', message: 'Not found.' } }
    expect((await gateway.query(order)).answer.is).toBe('not_found')
    for (const body of ['', '<html>', { statusCode: 404, message: 'Resource not found' }]) {
      given = { status: 404, body }
      expect((await gateway.query(order)).answer.is).toBe('unknown')
    }
    for (const status of [400, 401, 500]) {
      given = { status, body: { code: 'INTERNAL_PROCESSING_ERROR' } }
      expect((await gateway.query(order)).answer.is, `${status}`).toBe('unknown')
    }
  })
})

describe('whose a number is', () => {
  const name = 'Sand Box'
  /** As the samples of MTN's own clients have it, for Java and for Android. */
  const infos = [
    {
      ...{ given_name: 'Sand', family_name: 'Box', birthdate: '1976-08-13', locale: 'sv_SE' },
      gender: 'MALE',
    },
    {
      ...{ sub: '0', name, given_name: 'Sand', family_name: 'Box', birthdate: '1976-08-13' },
      ...{ locale: 'sv_SE', gender: 'MALE', updated_at: 1676609351 },
    },
  ]
  const asked = async (shown: Given, info: Given = { body: infos[0] }) => {
    const { gateway } = await openOver((path) => (path.endsWith('/basicuserinfo') ? info : shown), {
      holder_lookup: 'on',
    })
    return gateway.holder?.('+22997000010')
  }

  it('is asked only where the account says so', async () => {
    for (const settings of [{}, { holder_lookup: 'off' }]) {
      const { gateway } = await openOver(() => ({ body: {} }), settings)
      expect('holder' in gateway).toBe(false)
    }
  })

  it('is its holder’s name and whether it is active, as its samples have them', async () => {
    for (const body of infos) {
      expect(await asked({ body: { result: true } }, { body })).toEqual({ active: true, name })
    }
    expect(await asked({ body: { result: false } })).toEqual({ active: false })
    const nobody = { status: 404, body: { code: 'RESOURCE_NOT_FOUND', message: '' } }
    expect(await asked(nobody)).toEqual({ active: false })
  })

  it('is unknown where it is not as documented, and nobody where no name is', async () => {
    const odd: Given[] = [
      ...[{}, { result: 'true' }, '', '<html>', { active: true }].map((body) => ({ body })),
      ...[401, 403, 500].map((status) => ({ status, body: { result: true } })),
      { status: 404, body: { statusCode: 404, message: 'Resource not found' } },
    ]
    for (const one of odd) expect(await asked(one), JSON.stringify(one)).toBe(undefined)
    for (const body of [{}, { given_name: ' ', family_name: 7 }, '', '[]']) {
      expect(await asked({ body: { result: true } }, { body })).toEqual({ active: true })
    }
    expect(await asked({ body: { result: true } }, { status: 500, body: infos[0] })).toEqual({
      active: true,
    })
  })
})

describe('the account', () => {
  it('is read as its samples are', async () => {
    const body = { code: 'RESOURCE_NOT_FOUND' }
    const { gateway } = await openOver(() => ({ status: 404, body }))
    const balances = await gateway.balances()
    expect(balances.length).toBeGreaterThan(0)
    for (const { amount } of balances) expect(amount).toBe(200_000_00n)
    expect((await gateway.check()).filter(({ is }) => is === 'FAIL')).toEqual([])
  })
})
