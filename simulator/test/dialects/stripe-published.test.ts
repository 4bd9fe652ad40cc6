// What the dialect of Stripe shows, held to the types that the operator's own client publishes (npm
// `stripe`, in `simulator/foreign`), which are made from its published schema: every field is one
// of theirs, with a value of its kind, and none is left out that it always shows.

import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, type TestContext, vi } from 'vitest'
import { type LoopbackServer, serveHttp } from '../../../server/test/setup/loopback.ts'
import { wholeIt } from '../../../server/test/setup/proof-size.ts'
import { type Stripe, startStripe } from '../../src/dialects/stripe/start.ts'

const installed = new URL('../../foreign/node_modules/stripe/package.json', import.meta.url)
/** It is never written: the compiler reads it from here. */
const file = fileURLToPath(new URL('../../foreign/shown.ts', import.meta.url))

let stripe: Stripe
let listener: LoopbackServer
/** The events that it sent, as they came. */
const events: unknown[] = []
let shown: readonly Shown[]
beforeAll(async () => {
  stripe = await startStripe({ port: 0, speed: 20 })
  listener = await serveHttp(async (request, response) => {
    events.push(JSON.parse(await text(request)))
    response.end()
  })
  shown = await everything()
})
afterAll(async () => {
  await stripe?.stop()
  await listener?.close()
})

/** An object of the operator's, by the name of its type. */
type Shown = Readonly<{ type: string; value: unknown }>

const head = `import type Stripe from 'stripe'
`

/** What the compiler says of these objects as literals, where an unknown field is a mistake. */
function faultsOf(shown: readonly Shown[]): string[] {
  const lines = shown.map(
    ({ type, value }, at) => `export const v${at}: Stripe.${type} = ${JSON.stringify(value)}`,
  )
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  const source = ts.createSourceFile(file, head + lines.join('\n'), ts.ScriptTarget.ES2022)
  host.fileExists = (name) => name === file || fileExists(name)
  host.getSourceFile = (name, ...rest) => (name === file ? source : getSourceFile(name, ...rest))
  const program = ts.createProgram([file], options, host)
  const found = program.getSourceFile(file)
  const all = [...program.getSyntacticDiagnostics(found), ...program.getSemanticDiagnostics(found)]
  return all.map(({ messageText, start = 0 }) => {
    const at = source.getLineAndCharacterOfPosition(start).line - head.split('\n').length + 1
    return `${shown[at]?.type}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

const bearer = { authorization: 'Bearer sk_test_0123456789abcdef' }

async function ask(path: string, form?: Readonly<Record<string, string>>): Promise<unknown> {
  const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  return (await fetch(`${stripe.url}/v1/${path}`, { ...sent, headers: bearer })).json()
}

const order = (client_reference_id: string) => ({
  mode: 'payment',
  client_reference_id,
  success_url: 'https://shop.example/back',
  'line_items[0][quantity]': '1',
  'line_items[0][price_data][currency]': 'usd',
  'line_items[0][price_data][unit_amount]': '10325',
  'line_items[0][price_data][product_data][name]': 'Basket',
  'metadata[attempt]': 'ours',
})

type Session = Readonly<{ id: string; payment_intent: Readonly<{ id: string }> }>

/** A page from its making to its dispute and its refund, and what is refused. */
async function everything(): Promise<Shown[]> {
  const endpoint = await ask('webhook_endpoints', { url: listener.url, 'enabled_events[0]': '*' })
  const made = (await ask('checkout/sessions', order('one'))) as Session
  await ask('checkout/sessions', order('two'))
  const given = (await ask('checkout/sessions', order('three'))) as Session
  // This card pays, and is disputed.
  await stripe.pay('one', '4000000000000259')
  await stripe.pay('two', '4000000000009995')
  await stripe.pay('three')
  const expanded = 'expand[]=payment_intent.latest_charge'
  const paid = (await ask(`checkout/sessions/${made.id}?${expanded}`)) as Session
  const listed = await ask(`checkout/sessions?limit=2&expand[]=data.payment_intent`)
  const { id: disputed } = paid.payment_intent
  const again = (await ask(`checkout/sessions/${given.id}?expand[]=payment_intent`)) as Session
  const { id: payment_intent } = again.payment_intent
  const refund = await ask('refunds', { payment_intent, amount: '325', 'metadata[attempt]': 'x' })
  return [
    { type: 'Checkout.Session', value: made },
    { type: 'Checkout.Session', value: paid },
    { type: 'ApiList<Stripe.Checkout.Session>', value: listed },
    { type: 'Refund', value: refund },
    {
      type: 'ApiList<Stripe.Dispute>',
      value: await ask(`disputes?payment_intent=${disputed}`),
    },
    {
      type: 'ApiList<Stripe.Refund>',
      value: await ask(`refunds?payment_intent=${payment_intent}`),
    },
    { type: 'Balance', value: await ask('balance') },
    { type: 'PaymentIntent', value: await ask(`payment_intents/${payment_intent}`) },
    { type: 'WebhookEndpoint', value: endpoint },
    {
      type: 'ApiList<Stripe.WebhookEndpoint>',
      value: await ask('webhook_endpoints'),
    },
    ...(await refusals()),
    ...(await seen()).map((value) => ({ type: 'Event', value })),
  ]
}

/** What it says of a call that it does not take. */
async function refusals(): Promise<Shown[]> {
  const all = [
    await ask('checkout/sessions', { mode: 'payment', success_url: 'nowhere' }),
    await ask('checkout/sessions/cs_test_none'),
    await ask('nothing'),
  ] as readonly { error: unknown }[]
  return all.map(({ error: value }) => ({ type: 'StripeRawError', value }))
}

/** The events of all that was done, once those are there that are waited for. */
async function seen(): Promise<readonly unknown[]> {
  const kinds = ['checkout.session.completed', 'charge.dispute.created', 'charge.refunded']
  const came = (kind: string) => events.some((one) => (one as { type: string }).type === kind)
  await vi.waitFor(() => expect(kinds.filter(came)).toEqual(kinds), 30_000)
  return events
}

const isThere = ({ skip }: TestContext) =>
  skip(!existsSync(installed), 'npm stripe is not installed: npm run foreign')

describe('what the dialect shows', () => {
  wholeIt(
    'is of the types that the operator’s own client publishes',
    (context) => {
      isThere(context)
      for (const { type, value } of shown) {
        expect(Object.keys(value as object), type).not.toContain('error')
      }
      expect(faultsOf(shown)).toEqual([])
    },
    180_000,
  )

  wholeIt(
    'would be found with a field of its own, one of another kind, or one that is left out',
    (context) => {
      isThere(context)
      const right = shown[1]?.value as Record<string, unknown>
      const payment_intent = right['payment_intent'] as Record<string, unknown>
      const { automatic_tax: _, ...taxless } = right
      const { capture_method: _method, ...methodless } = payment_intent
      const wrong: readonly Shown[] = [
        { ...right, nonsense: 1 },
        { ...right, status: 7 },
        { ...right, amount_total: '10325' },
        { ...right, payment_intent: { ...payment_intent, amount: 'many' } },
        { ...right, payment_intent: methodless },
        taxless,
      ].map((value) => ({ type: 'Checkout.Session', value }))
      expect(faultsOf(wrong)).toHaveLength(wrong.length)
    },
    180_000,
  )
})
