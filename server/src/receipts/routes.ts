// Invoices and receipts (contract: Invoice; contract 6.8; docs/decisions/0016). A merchant reads
// its invoices and withdraws receipts; anybody with a token reads the receipt.

import { Type } from 'typebox'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import type { Locale } from '../platform/errors.ts'
import { uuidParam } from '../platform/http/filters.ts'
import {
  type FileReply,
  type Input,
  ok,
  type Reply,
  type ServedRoute,
} from '../platform/http/route.ts'
import { type Listed, reads, routesWith } from '../platform/http/route-list.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { type InvoiceDeps, invoiceOf } from './invoice-of.ts'
import { countReader, type ReaderDeps, readReceipt } from './read-receipt.ts'
import { receiptErrors } from './receipt.ts'
import { placeOf, revokeReceipt } from './receipt-of.ts'
import { publishedKeys, type SigningDeps, signReceipt } from './signing-key.ts'
import { KeysSchema, PlaceSchema, ReceiptSchema, RevokedSchema, viewReceipt } from './view.ts'

export type ReceiptDeps = InvoiceDeps &
  ReaderDeps &
  SigningDeps &
  Readonly<{ db: Db; keyring: Keyring }>

export const receiptRoutes = (deps: ReceiptDeps): ServedRoute[] =>
  routesWith({ tag: 'Receipts', access: 'public' }, [
    invoiceRoute(deps),
    placeRoute(deps),
    revokeRoute(deps),
    // Before the tokens: a fixed path is no token.
    keysRoute(deps),
    receiptRoute(deps),
  ])

const invoiceRoute = (deps: ReceiptDeps): Listed<ServedRoute> => ({
  method: 'GET',
  path: '/transactions/:id/invoice/',
  access: 'any',
  query: Type.Object({
    lang: Type.Optional(
      Type.Enum(['fr', 'en'], { description: 'Defaults to the language of Accept-Language.' }),
    ),
  }),
  summary: 'Download the invoice of a payment as PDF',
  description:
    'For an inbound transaction in SUCCESS. Its QR code links to the public receipt, which is ' +
    'created with the first invoice.',
  tag: 'Transactions',
  sends: ['Content-Disposition', 'Content-Language'],
  responses: { 200: Type.String({ contentMediaType: 'application/pdf' }) },
  errors: [receiptErrors.invalid_flow, receiptErrors.not_success],
  example: {},
  handler: async (input): Promise<FileReply> => {
    const locale = languageOf(input)
    const transaction_id = uuidParam(input, 'id')
    const { file, filename } = await invoiceOf(deps, { ...input, transaction_id, locale })
    const headers = { 'Content-Language': locale }
    return { status: 200, file, filename, content_type: 'application/pdf', headers }
  },
})

const languageOf = ({ query, locale }: Pick<Input, 'query' | 'locale'>): Locale =>
  query['lang'] === 'fr' || query['lang'] === 'en' ? query['lang'] : locale

const placeRoute = (deps: ReceiptDeps): Listed<ServedRoute> => ({
  path: '/transactions/:id/receipt/',
  access: 'any',
  summary: 'Retrieve the address of a payment’s receipt',
  description:
    'For an inbound transaction in SUCCESS. The receipt is made at the first call, if no invoice ' +
    'has made it; its address never changes.',
  tag: 'Transactions',
  errors: [receiptErrors.invalid_flow, receiptErrors.not_success],
  ...reads(PlaceSchema, {
    transaction: '01981f3a-5b60-7c11-9a52-0242ac120002',
    url: 'https://pay.example.com/receipts/6qXNOdFwSbWTfTJpvD0y2A',
    status: 'ISSUED',
    revoked_at: null,
  }),
  handler: async (input): Promise<Reply> => {
    const transaction = uuidParam(input, 'id')
    const { url, revoked_at } = await placeOf(deps, input.caller, transaction)
    const status = revoked_at === null ? 'ISSUED' : 'REVOKED'
    return ok({ transaction, url, status, revoked_at: revoked_at?.toISOString() ?? null })
  },
})

const revokeRoute = (deps: ReceiptDeps): Listed<ServedRoute> => ({
  method: 'POST',
  path: '/transactions/:id/receipt/revoke/',
  access: 'PAYIN',
  permission: 'payins',
  summary: 'Revoke the receipt of a payment',
  description:
    'This is permanent: the receipt’s page then says that it was withdrawn. A signed statement ' +
    'that someone kept still proves what was true when it was signed. A second call changes ' +
    'nothing.',
  responses: { 200: RevokedSchema },
  errors: [receiptErrors.invalid_flow, receiptErrors.not_success],
  example: {
    reply: {
      transaction: '01981f3a-5b60-7c11-9a52-0242ac120002',
      revoked_at: '2026-11-22T09:30:00.000Z',
    },
  },
  handler: async (input): Promise<Reply> => {
    const transaction = uuidParam(input, 'id')
    const revoked_at = await revokeReceipt(deps, input.caller, transaction)
    return ok({ transaction, revoked_at: revoked_at.toISOString() })
  },
})

const keysRoute = (deps: ReceiptDeps): Listed<ServedRoute> => ({
  path: '/receipts/keys/',
  summary: 'List the public keys that verify receipts',
  description:
    'A JSON Web Key set (RFC 7517; bare with `Prefer: envelope=off`). Keep it to verify ' +
    'receipts offline: each statement names its key by `kid`.',
  errors: [accessErrors.rate_limited],
  ...reads(KeysSchema, {
    keys: [
      {
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
        x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      },
    ],
  }),
  handler: async (input): Promise<Reply> => {
    await countReader(deps, input)
    // There may be no receipt yet: then this makes the first key.
    await deps.signing()
    return ok({ keys: await publishedKeys(deps.db) })
  },
})

const receiptRoute = (deps: ReceiptDeps): Listed<ServedRoute> => ({
  path: '/receipts/:token/',
  summary: 'Retrieve a receipt by its token',
  description: 'The content of its page `{origin}/receipts/{token}`, with a signed copy.',
  errors: [accessErrors.rate_limited, receiptErrors.receipt_revoked],
  ...reads(ReceiptSchema, {
    merchant: 'Boutique Étoile',
    reference: 'TXN-20261122-7KQ2MX9PWA',
    merchant_reference: 'ORDER-1042',
    operator_reference: '4417203318',
    network: 'MTN MoMo Bénin',
    amount: '5000.00',
    charged: '5125.00',
    refunded: '0.00',
    currency: 'XOF',
    paid_at: '2026-11-22T09:30:00.000Z',
    status: 'SUCCESS',
    payer_last_digits: '10',
    environment: 'LIVE',
    statement: 'eyJhbGciOiJFZERTQSJ9.eyJyZWZlcmVuY2UiOiJUWE4ifQ.c2lnbmF0dXJl',
  }),
  handler: async (input): Promise<Reply> => {
    await countReader(deps, input)
    const { receipt } = await readReceipt(deps, input.params['token'] ?? '')
    return ok({ ...viewReceipt(receipt), statement: await signReceipt(deps, receipt) })
  },
})
