// A payer's calls: no credential but the slug; and what a story reads of sessions. An answer that
// is not as published fails the test that met it.

import { eventually, type Json, newPayer, type Shop, type TestApp } from '../harness.ts'
import { readPublished } from '../published.ts'

export const sessionBody = (changes: Record<string, unknown> = {}) => ({
  amount: '5000',
  currency: 'XOF',
  customer_email: 'awa@example.com',
  customer_name: 'Awa Diop',
  return_url: 'https://shop.example.com/thanks?order=1042',
  ...changes,
})

export const paymentBody = (magic = '10', changes: Record<string, unknown> = {}) => ({
  network: 'mtn_bj',
  country: 'BJ',
  customer: { phone: newPayer(magic).phone },
  ...changes,
})

export type PublicReply = Readonly<{ status: number; headers: Headers; data: Json; error: Json }>

export async function callPublic(
  app: Pick<TestApp, 'url'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<PublicReply> {
  const reply = await fetch(`${app.url}/api/v1${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const json: Json = await reply.json()
  const { status, headers } = reply
  const published = await readPublished()
  const operation = published.operationAt(method, path)
  const faults = operation && published.faultsOf(operation, { status, headers, body: json })
  if (faults !== undefined && faults.length > 0) throw new Error(faults.join('; '))
  return { status, headers, data: json.data, error: json.error }
}

export async function openSession(by: Shop, changes: Record<string, unknown> = {}): Promise<Json> {
  const { status, data, body } = await by.post('/checkout-sessions/', sessionBody(changes))
  if (status !== 201) throw new Error(JSON.stringify(body))
  return data
}

export const sessionBecomes = (by: Shop, id: string, status: string): Promise<Json> =>
  eventually(async () => {
    const { data } = await by.get(`/checkout-sessions/${id}/`)
    if (data.status !== status) throw new Error(`${id} is ${data.status}, not ${status}`)
    return data
  })
