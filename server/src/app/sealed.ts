// Everything that is sealed under SECRET_KEY, wherever it is: what is not named here is lost when
// an old key is removed. `server/test/stories/a-secret-key-is-rotated.test.ts` compares it with the
// schema.

import { memoBinding } from '../attempts/memo-statements.ts'
import { secretBinding } from '../gateways/accounts.ts'
import { holderBinding } from '../gateways/look-up-holder.ts'
import { tokenBinding } from '../gateways/token-leases.ts'
import { sealedDocuments } from '../merchants/kyc/read-documents.ts'
import { enclosedBinding } from '../people/proposals/proposal.ts'
import { boundTo } from '../people/second-factor/give-code.ts'
import { macKeyBinding } from '../platform/crypto/mac-keys.ts'
import type { SealedColumn, SealedFiles } from '../platform/crypto/reseal.ts'
import { mailBinding } from '../platform/mail/queue-mail.ts'
import { bindingOf as receiptBinding } from '../receipts/receipt-of.ts'
import { bindingOf as signingKeyBinding } from '../receipts/signing-key.ts'
import { sealedProofs } from '../settlements/proof.ts'
import { sealedFor } from '../webhooks/webhook.ts'

const merchants = [
  ['merchant_id', 'uuid'],
  ['id', 'uuid'],
] as const
const own = [['id', 'uuid']] as const

/** MAC keys first: without them no process starts. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'mac_keys',
    column: 'sealed_key',
    key: [
      ['purpose', 'text'],
      ['number', 'int'],
    ],
    bindingOf: macKeyBinding,
  },
  {
    table: 'receipt_keys',
    column: 'sealed_private_key',
    key: [['number', 'int']],
    bindingOf: ([number]) => signingKeyBinding(Number(number)),
  },
  {
    table: 'gateway_secrets',
    column: 'sealed',
    key: [
      ['gateway_id', 'uuid'],
      ['version', 'int'],
    ],
    bindingOf: secretBinding,
  },
  {
    table: 'gateway_tokens',
    column: 'sealed',
    key: [
      ['gateway_id', 'uuid'],
      ['product', 'text'],
    ],
    bindingOf: tokenBinding,
  },
  { table: 'holder_lookups', column: 'sealed', key: own, bindingOf: holderBinding },
  { table: 'staff_proposals', column: 'sealed', key: own, bindingOf: enclosedBinding },
  {
    table: 'attempt_memos',
    column: 'sealed',
    key: [
      ['merchant_id', 'uuid'],
      ['attempt_id', 'uuid'],
    ],
    bindingOf: memoBinding,
  },
  {
    table: 'people',
    column: 'sealed_totp',
    key: own,
    bindingOf: ([id = '']) => boundTo(id),
  },
  ...['sealed_secret', 'sealed_next_secret'].map(
    (column): SealedColumn => ({
      table: 'webhooks',
      column,
      key: merchants,
      bindingOf: ([, id = '']) => sealedFor(id),
    }),
  ),
  {
    table: 'mail_outbox',
    column: 'sealed',
    key: own,
    bindingOf: ([id = '']) => mailBinding(id),
  },
  {
    table: 'receipts',
    column: 'sealed_token',
    key: [
      ['merchant_id', 'uuid'],
      ['transaction_id', 'uuid'],
    ],
    bindingOf: ([merchant_id = '', id = '']) => receiptBinding({ merchant_id, id }),
  },
]

/** Columns for sealed text that nothing writes yet: one with a text in it counts as left. */
export const unusedColumns: readonly SealedColumn[] = [
  {
    table: 'gateways',
    column: 'sealed_settings',
    key: own,
    bindingOf: ([id = '']) => `gateways:${id}:sealed_settings`,
  },
]

export const sealedFiles: readonly SealedFiles[] = [sealedDocuments, sealedProofs]
