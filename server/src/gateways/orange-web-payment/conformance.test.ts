// This adapter against the dialect that imitates its operator's wire, over real HTTP on loopback.
// The operator is told no number, so that an amount's last digits say what its payer does.

import { randomUUID } from 'node:crypto'
import { type Orange, startOrange } from '../../../../simulator/src/dialects/orange/start.ts'
import { nobody_listens } from '../../../test/setup/loopback.ts'
import { openMailbox } from '../../../test/setup/mailbox.ts'
import { withOrange } from '../../../test/setup/orange-account.ts'
import { wireBetween } from '../../../test/setup/wire-between.ts'
import { newId } from '../../platform/ids.ts'
import { type Bench, type Books, describeGateway, type Situation } from '../conformance.ts'
import type { Direction, GatewayOrder } from '../gateway.ts'
import { memoryTokens } from '../tokens.ts'
import { orangeGateway } from './orange-gateway.ts'
import { orderIdOf } from './wire.ts'

const digits: Readonly<Partial<Record<Situation, number>>> = {
  ...{ waits: 4, redirects: 4, fails: 1, refused_by_payer: 3, refused_by_gateway: 6 },
  ...{ answer_lost: 5, answer_garbled: 9_912, server_error: 9_911 },
}

const newOrder = (to: string, situation: Situation, direction: Direction): GatewayOrder => {
  const our_key = randomUUID()
  return {
    ...{ merchant_id: randomUUID(), attempt_id: newId(), direction, our_key },
    ...{ external_reference: '', network_code: 'orange_ml', country_code: 'ML' },
    ...{ amount: (50_000n + BigInt(digits[situation] ?? 55)) * 100n, currency: 'XOF' },
    ...{ msisdn: '+22370000010', flow: 'redirect', otp_kind: 'NONE', otp: undefined },
    description: 'Panier d’Awa '.padEnd(255, '🛒'),
    ...{ callback_url: `${to}/callbacks/${our_key}`, return_url: 'https://shop.example/back' },
  }
}

function booksOf(orange: Orange, { our_key }: GatewayOrder): Books {
  const lines = orange.books().filter(({ order_id }) => order_id === orderIdOf(our_key))
  const paid = lines.filter(({ status }) => status === 'SUCCESS')
  const hundredths = paid.reduce((sum, { amount }) => sum + BigInt(amount) * 100n, 0n)
  return { orders: lines.length, debits: paid.length, hundredths }
}

describeGateway('orange', {
  declares: {
    abilities: ['collect'],
    redirects: 'ALWAYS',
    callbacks: 'BEARER',
    create_is_idempotent: false,
    refusals: 'LATER',
    asked_by_answer: true,
    failures_are: 'NOT_APPROVED',
    token_calls: /^\/oauth\//,
  },
  async open({ outbound, clock }): Promise<Bench> {
    // A held answer breaks after 30 s / 2, so that a lost one meets our own time-out first.
    const orange = await startOrange({ port: 0, speed: 2, plays: true })
    const mailbox = await openMailbox((_, path) => path.split('/').at(-1) ?? '')
    const open = (url: string) =>
      orangeGateway(withOrange({ ...orange, url }), {
        ...{ outbound, clock, note: () => undefined },
        tokens: (obtain) => memoryTokens(obtain, clock),
      })
    return {
      gateway: open(orange.url),
      unreachable: open(nobody_listens),
      stranger: open(orange.url),
      openWire: () => wireBetween(orange.url),
      at: open,
      order: (situation, direction) => newOrder(mailbox.url, situation, direction),
      books: async (order) => booksOf(orange, order),
      callback: (order) => mailbox.first(order.our_key),
      otps: { right: '', wrong: '' },
      async close() {
        await orange.stop()
        await mailbox.close()
      },
    }
  },
})
